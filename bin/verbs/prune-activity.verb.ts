/** `muster prune-activity --older-than 30d` (specification/activity.md#pruning). */
import { existsSync } from 'node:fs';
import { inMemory } from '#platform/store-places.ts';
import { goBehindOthers } from '../../broker/runtime/thread-priority.ts';
import { refuseCopy } from '../../broker/standby/kept-position.ts';
import { pruneActivity } from '../../broker/storage/prune-activity.ts';
import { knownStores, placeOptions, presentConfig } from '../broker-place.ts';
import { CommandFailure } from '../command-failure.ts';
import { sizeText } from '../files/size-text.rules.ts';
import { heldMembersAt } from '../held-members.ts';
import { print, printJson, remark } from '../output.ts';
import { createProgress } from '../progress.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

const minuteMs = 60_000;
const msByUnit: Record<string, number> = { m: minuteMs, h: 60 * minuteMs, d: 24 * 60 * minuteMs };

/** Returns `30d`, `12h`, or `90m` in ms. @throws UsageError. */
function durationOf(text: string | undefined): number {
  if (text === undefined) throw new UsageError('--older-than is required, for example --older-than 30d');
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const durationMs = Number(amount) * (msByUnit[unit] ?? Number.NaN);
  if (!(durationMs > 0))
    throw new UsageError(
      '--older-than must be 1 to 999999 days, hours, or minutes, such as 30d, 12h, or 90m',
    );
  return durationMs;
}

const written = (count: number): string => count.toLocaleString('en-US');

export const verb = defineVerb({
  usage: 'muster prune-activity --older-than <duration> [options]',
  options: {
    'older-than': {
      type: 'string',
      value: '<duration>',
      help: 'delete activity that was stored longer ago, such as 30d, 12h, or 90m',
    },
    'activity-db': placeOptions['activity-db'],
    'config-path': {
      type: 'string',
      value: '<file>',
      help: 'configuration with the legal holds, whose rows stay (default: SVC_CONFIG_PATH, ./svc.json, or the desktop app’s)',
    },
    json: { type: 'boolean', help: 'print { rows, bytes }' },
  },
  notes: [
    'The broker may be running. Deleted activity cannot be restored. You can stop the command at any time and run it again.',
  ],
  async run({ values, env }) {
    const olderThanMs = durationOf(values['older-than']);
    const configPath = presentConfig(values, env);
    const { activity: file } = knownStores(configPath, values, env);
    if (file === null || file === inMemory)
      throw new CommandFailure(
        'a store in memory cannot be pruned. Name the file of the activity store with --activity-db, SVC_ACTIVITY_DB_PATH, or "stores" of the configuration.',
      );
    if (!existsSync(file))
      throw new CommandFailure(
        `there is no file "${file}". Name the activity store with --activity-db, SVC_ACTIVITY_DB_PATH, or "stores" of the configuration.`,
      );
    refuseCopy(file, 'nothing was deleted');
    const held = await heldMembersAt(configPath);
    goBehindOthers('background');
    const progress = createProgress({ hasLines: true });
    const { rows, bytes, isShrunk } = await pruneActivity({
      file,
      before: Date.now() - olderThanMs,
      held,
      onStep: (done) =>
        progress.at(
          done.bytes === 0
            ? { what: 'deleted so far', unit: 'rows', done: done.rows, total: null }
            : {
                what: `deleted ${written(done.rows)} rows, freed so far`,
                unit: 'bytes',
                done: done.bytes,
                total: null,
              },
        ),
    }).finally(progress.end);
    if (!isShrunk)
      remark(
        'this file was created by an earlier version; stop the broker, and run this command again to shrink the file',
      );
    if (values.json) printJson({ rows, bytes });
    else print(`deleted ${written(rows)} rows and freed ${sizeText(bytes)}`);
    return 0;
  },
});
