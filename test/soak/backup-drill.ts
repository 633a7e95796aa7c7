/**
 * A backup under load and its restore: what the restored broker holds is a part of the order of acceptance
 * from its beginning, and no older than the moment at which the backup began.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../../bin/testing/command.ts';
import type { SeededRandom } from '../crash/seeded-random.ts';
import { placeOf, type ServedBroker, serveFrom } from '../crash/served-broker.ts';
import { createDayBroker } from '../day/day-broker.ts';
import { type Day, names } from '../day/day-state.ts';
import { createViews } from '../day/day-views.ts';
import { listDifference } from '../day/difference.ts';
import { readFile } from '../day/file-model.ts';
import { history } from '../day/reading-model.ts';

const scopesPerDrill = 30;
const filesPerDrill = 20;

const placeEnv = (folder: string): Record<string, string> => {
  const { configPath, mainDbPath, activityDbPath } = placeOf(folder);
  return { SVC_CONFIG_PATH: configPath, SVC_DB_PATH: mainDbPath, SVC_ACTIVITY_DB_PATH: activityDbPath };
};

export interface Drill {
  /** Restores the backup, compares, and deletes both. @throws Error that names what is lost or foreign. */
  restore(before: Day, after: Day, random: SeededRandom): Promise<void>;
}

/** Resolves when the backup is made, in the home. */
export async function backUp(home: Home, served: ServedBroker): Promise<Drill> {
  const file = home.path('soak.tar');
  const made = await home.run(['backup', file, '--json'], { env: placeEnv(served.folder) });
  if (made.code !== 0) throw new Error(`the backup failed: ${made.stdout}${made.stderr}`);

  return {
    async restore(before, after, random) {
      const folder = join(home.folder, 'restored');
      await mkdir(folder);
      const restored = await home.run(['restore', file], { env: placeEnv(folder) });
      if (restored.code !== 0) throw new Error(`the restore failed: ${restored.stdout}${restored.stderr}`);
      const copy = serveFrom({ folder, token: served.token });
      const broker = createDayBroker(copy);
      try {
        await copy.start();
        await broker.learn(after);
        const views = createViews(after, broker);
        for (let n = 0; n < scopesPerDrill; n++) {
          const scope = random.pick(['general', ...before.posts.map((post) => post.scope)]);
          const [kind, ...sides] = scope.split(':');
          // Nobody can ask for a direct conversation of others.
          const present = (kind === 'dm' ? sides : names(before)).filter((one) => before.members.has(one));
          if (present.length === 0) continue;
          const name = random.pick(present);
          const [early, late] = [history(before, name, scope), history(after, name, scope)];
          const { title, actual } = views.historyOf(name, scope);
          checkPart(`${title} in the backup`, early, late, await actual());
        }
        for (const path of filesToRead(before, after).slice(0, filesPerDrill)) {
          const { title, expected, actual } = views.fileOf('ada', path);
          if (JSON.stringify(await actual()) !== JSON.stringify(expected))
            throw new Error(`${title} in the backup differs`);
        }
      } finally {
        broker.close();
        await copy.kill();
        await rm(folder, { recursive: true });
        await rm(file);
      }
    },
  };
}

/** Histories are newest first. */
function checkPart(title: string, early: string[] | number, late: string[] | number, actual: unknown): void {
  if (typeof early === 'number' || typeof late === 'number' || !Array.isArray(actual)) {
    // A conversation may have begun during the backup.
    if (actual !== late && actual !== early) throw new Error(`${title}: ${JSON.stringify(actual)}`);
    return;
  }
  const present = Math.max(early.length, actual.length);
  const found = listDifference(late.slice(late.length - present), actual);
  if (found !== null) throw new Error(`${title}: ${found}`);
}

/** Files that the storm did not touch. */
function filesToRead(before: Day, after: Day): string[] {
  return [...before.files.keys()].filter((path) => {
    const then = readFile(before, 'ada', path);
    return then.body !== undefined && then.body === readFile(after, 'ada', path).body;
  });
}
