/** `muster repair` (specification/backup.md#repair). */
import { svcCommand } from '#platform/svc-command.ts';
import { counted } from '#protocol/counted.ts';
import { BackupError } from '../../broker/backup/backup-format.ts';
import { refuseMissing } from '../../broker/backup/broker-files.ts';
import { type Rebuilt, repairStores, type StoreReport } from '../../broker/backup/repair-stores.ts';
import { refuseCopy } from '../../broker/standby/kept-position.ts';
import { brokerPlace, placeOptions } from '../broker-place.ts';
import { CommandFailure } from '../command-failure.ts';
import { print, printJson, remark } from '../output.ts';
import { createProgress } from '../progress.ts';
import { oneLine } from '../terminal-text.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'muster repair [options]',
  options: {
    check: {
      type: 'boolean',
      help: 'say what is damaged and what a repair would save and lose, and change nothing',
    },
    ...placeOptions,
    json: {
      type: 'boolean',
      help: 'print an array of { store, state, faults, obstacle, rebuilt, damagedFile }, and of a check also predicted',
    },
  },
  notes: [
    'Stop the broker first. Rebuilds the indexes of both stores and the search index, and keeps every record of the activity store that can be read. Says which tables lost rows. Needs space for two more copies of a damaged store; the damaged file stays beside the new one.',
    'Damage in the tables of the main store cannot be repaired: restore a backup. Exits with 1 if anything is damaged still, or if records were lost. --check exits with 0 if both stores are whole, with 1 if a repair would lose nothing, and otherwise with 3.',
  ],
  async run({ values, env }) {
    const place = brokerPlace(values, env);
    await refuseMissing(place).catch((error: unknown) => {
      throw error instanceof BackupError ? new CommandFailure(error.message) : error;
    });
    if (!values.check)
      for (const file of [place.mainPath, place.activityPath]) refuseCopy(file, 'nothing was repaired');
    const progress = createProgress({ hasLines: true });
    let reports: StoreReport[];
    try {
      reports = repairStores({
        ...place,
        isCheck: values.check ?? false,
        now: Date.now(),
        onRows: (store, done) =>
          progress.at({ what: `rebuilding the ${store} store`, unit: 'rows', done, total: null }),
      });
    } finally {
      progress.end();
    }
    if (values.json) printJson(reports);
    else for (const report of reports) say(report);
    if (reports.every(isWhole)) return 0;
    return reports.some(wouldLose) ? exitOfLosses : 1;
  },
});

/** Of a check: a repair loses rows or cannot rebuild a store. */
const exitOfLosses = 3;

const isWhole = ({ state, rebuilt }: StoreReport): boolean =>
  state === 'whole' || (rebuilt !== null && !hasLosses(rebuilt));

const hasLosses = ({ lost, otherTables }: Rebuilt): boolean =>
  lost !== 0 || Object.keys(otherTables).length > 0;

const wouldLose = ({ state, predicted }: StoreReport): boolean =>
  predicted !== undefined && state !== 'whole' && (predicted === null || hasLosses(predicted));

const maxShown = 3;

function say({ store, state, faults, rebuilt, predicted, damagedFile, obstacle }: StoreReport): void {
  if (state === 'whole') {
    print(`${store}: whole`);
    return;
  }
  const more = faults.length > maxShown ? [`and ${faults.length - maxShown} more`] : [];
  const shown = oneLine([...faults.slice(0, maxShown), ...more].join('; '));
  if (state === 'damaged')
    print(`${store}: damaged (${shown}); ${obstacle ?? `"${svcCommand} repair" rebuilds it`}`);
  if (state === 'beyond repair')
    print(
      `${store}: damaged, and cannot be repaired (${shown}); restore a backup with "${svcCommand} restore"`,
    );
  if (predicted) sayRows(store, predicted, wordsOf.check);
  if (predicted === null && state === 'damaged')
    print(`${store}: the rows that a repair would keep and lose cannot be counted`);
  if (rebuilt === null) return;
  sayRows(store, rebuilt, wordsOf.repair);
  if (store === 'main' && hasLosses(rebuilt))
    remark('the indexes of the damaged file know more rows than its tables; a backup may have the lost rows');
  remark(`the damaged file is "${damagedFile}"; remove it when you no longer need it`);
  if (store === 'main')
    remark(
      'the broker fills the search index again after its next start; until then, results may be missing',
    );
}

const wordsOf = {
  check: {
    done: 'a repair would rebuild it',
    lost: 'would be lost',
    unknown: 'how many would be lost cannot be counted',
  },
  repair: { done: 'rebuilt', lost: 'lost', unknown: 'how many were lost is not known' },
};

function sayRows(
  store: StoreReport['store'],
  { kept, lost, otherTables }: Rebuilt,
  words: (typeof wordsOf)[keyof typeof wordsOf],
): void {
  const what = store === 'main' ? 'message' : 'record';
  const losses = lost === null ? words.unknown : `${counted(lost, what)} ${words.lost}`;
  print(`${store}: ${words.done}, ${counted(kept, what)} kept, ${losses}`);
  for (const [table, rows] of Object.entries(otherTables))
    print(
      `${store}: ${rows === null ? 'an unknown number of rows' : counted(rows, 'row')} of the table "${table}" ${words.lost}`,
    );
}
