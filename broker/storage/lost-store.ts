/** Keeps a broker from starting with an empty main store beside what is left of its team (specification/configuration.md#stores). */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inMemory } from '#platform/store-places.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { StartUpError } from '../runtime/start-up-error.ts';

export interface TeamPlaces {
  main: string;
  activity: string;
  /** The folder of files, absolute; null without a `files` block. */
  files: string | null;
}

const isFilled = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Not of a first start that was cut off. Loads SQLite on the serving thread only in this rare case. */
async function hasActivity(path: string): Promise<boolean> {
  if (path === inMemory || !isFilled(path)) return false;
  try {
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(path, { readonly: true });
    try {
      return db.prepare('SELECT 1 FROM activity LIMIT 1').get() !== undefined;
    } finally {
      db.close();
    }
  } catch {
    // Opening it as a store says what is wrong with it.
    return false;
  }
}

/** A broker marks its folder of files after its main store has begun. */
async function remains({ activity, files }: TeamPlaces): Promise<string | null> {
  if (files !== null && existsSync(join(files, '.store'))) return `the files of a store are in "${files}"`;
  return (await hasActivity(activity)) ? `the team's activity is in "${activity}"` : null;
}

/** @throws StartUpError. */
export async function refuseLostStore(places: TeamPlaces): Promise<void> {
  const { main } = places;
  if (main === inMemory || isFilled(main) || isFilled(`${main}-wal`)) return;
  const found = await remains(places);
  if (found === null) return;
  throw new StartUpError(
    `the main store "${main}" is missing or empty, but ${found}; put the store back or restore a backup, or run "${svcCommand} serve --begin-anew" to start without the messages of before`,
    1,
  );
}
