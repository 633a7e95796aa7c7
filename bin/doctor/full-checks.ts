/** The data that `muster doctor --full` reads completely: both stores, the audit log, and every content of a file. */
import { svcCommand } from '#platform/svc-command.ts';
import type { Env } from '#protocol/paths.ts';
import { BackupError } from '../../broker/backup/backup-format.ts';
import { type CheckedBroker, checkBroker } from '../../broker/backup/check-broker.ts';
import { isPassiveCopy } from '../../broker/standby/kept-position.ts';
import { brokerPlace, type PlaceValues } from '../broker-place.ts';
import { CommandFailure } from '../command-failure.ts';
import { createProgress } from '../progress.ts';
import { type Finding, fail, ok, skip } from './finding.ts';

const maxShown = 5;
const remedy = `stop the broker and run "${svcCommand} repair"; if that cannot help, keep the files, and restore the newest backup elsewhere`;

const shown = (faults: readonly string[]): string =>
  [
    ...faults.slice(0, maxShown),
    ...(faults.length > maxShown ? [`and ${faults.length - maxShown} more`] : []),
  ].join('; ');

export async function checkEverything(values: PlaceValues, env: Env): Promise<Finding[]> {
  const place = brokerPlace(values, env);
  if ([place.mainPath, place.activityPath].some(isPassiveCopy))
    return [
      skip('stores', 'copies that another machine’s broker may be writing; check them on the active machine'),
    ];
  const progress = createProgress({ hasLines: true });
  let found: CheckedBroker;
  try {
    found = await checkBroker(place, progress.at);
  } catch (error) {
    if (!(error instanceof BackupError || error instanceof CommandFailure)) throw error;
    // Its sentences say what to do.
    return [{ check: 'stores', status: 'fail', detail: error.message }];
  } finally {
    progress.end();
  }
  const { counts, storeFaults, blobs, blobFaults } = found;
  if (blobs === null) return [fail('stores', shown(storeFaults), remedy)];
  const rows = Object.entries(counts).map(([table, count]) => `${table} ${count}`);
  return [
    storeFaults.length === 0
      ? ok('stores', `complete and consistent; rows: ${rows.join(', ')}`)
      : fail('stores', shown(storeFaults), remedy),
    blobFaults.length === 0
      ? ok('contents of files', `${blobs} match their hashes`)
      : fail('contents of files', shown(blobFaults), 'restore them from a backup, or delete the files'),
  ];
}
