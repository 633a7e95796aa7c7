/** The list of recent runs in a file that only its owner can read. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { codeOf } from '#platform/error-text.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import { AgentKind } from './agent-kinds.ts';
import { maxRecent, type RecentRun, withRecent } from './recent-runs.rules.ts';

const Recent = z.object({
  schema: z.literal(1),
  runs: z
    .array(
      z.object({
        id: z.uuid(),
        at: z.number(),
        member: z.string().max(128),
        kind: AgentKind,
        program: z.string().max(4096).nullable(),
        folder: z.string().max(4096),
        args: z.array(z.string().max(4096)).max(64),
        isUnattended: z.boolean(),
        modelUrl: z.string().max(2048).nullable(),
      }),
    )
    .max(maxRecent),
});

export interface RecentRuns {
  readonly list: readonly RecentRun[];
  add(run: RecentRun): Promise<void>;
}

export async function createRecentRuns(
  path: string,
  log: { warn(details: object, message: string): void },
): Promise<RecentRuns> {
  let list: readonly RecentRun[] = await readFile(path, 'utf8')
    .then((text) => Recent.parse(JSON.parse(text)).runs)
    .catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') log.warn({ err: error }, 'the list of recent runs cannot be read');
      return [];
    });
  const inTurn = createSerialQueue();
  return {
    get list() {
      return list;
    },
    add(run) {
      list = withRecent(list, run);
      const text = JSON.stringify({ schema: 1, runs: list });
      return inTurn(() => replacePrivateFile(path, text)).catch((error: unknown) =>
        log.warn({ err: error }, 'the list of recent runs could not be saved'),
      );
    },
  };
}
