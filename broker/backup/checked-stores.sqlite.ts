/** Checks the stores of a broker beside it, as they are at one moment. */
import type Database from 'better-sqlite3';
import { countsOf, openStore } from './snapshot.sqlite.ts';
import { storeFaults, untrustedFaults } from './store-checks.sqlite.ts';

export interface CheckedStores {
  counts: Record<string, number>;
  faults: string[];
  /** Every content, with the paths of its files as one text; null if the stores must not be read. */
  blobs: { hash: string; paths: string }[] | null;
}

/** Grants are checked as references: each must lead to an entry. */
export function checkStores(files: { main: string; activity: string }): CheckedStores {
  using opened = new DisposableStack();
  const open = (file: string): Database.Database => opened.adopt(openStore(file), (db) => db.close());
  const [main, activity] = [open(files.main), open(files.activity)];
  main.exec('BEGIN');
  activity.exec('BEGIN');
  const untrusted = untrustedFaults(main, activity);
  if (untrusted.length > 0) return { counts: {}, faults: untrusted, blobs: null };
  const faults = storeFaults(main, activity);
  const blobs = main
    .prepare<[], { hash: string; paths: string }>(
      `SELECT hash, group_concat(path, ', ') AS paths FROM fs_entry WHERE hash IS NOT NULL GROUP BY hash`,
    )
    .all();
  const found = { counts: countsOf(main, activity), faults, blobs };
  main.exec('COMMIT');
  activity.exec('COMMIT');
  return found;
}
