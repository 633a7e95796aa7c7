/** Stores that no broker has used, for tests of what happens to their files. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { activityLayout, activityMigrations } from '../storage/activity.migrations.ts';
import { mainMigrations } from '../storage/main.migrations.ts';
import { openDatabase } from '../storage/sqlite/open-database.ts';

/** Creates `main.db` and `activity.db`. `layout`: of the latter; those of earlier versions cannot shrink. */
export function createStores(folder: string, layout = activityLayout): void {
  openDatabase(join(folder, 'main.db'), 'writer', mainMigrations).close();
  openDatabase(join(folder, 'activity.db'), 'writer', activityMigrations, layout).close();
}

/** Commits `sql` to the log alone, as a broker leaves it that is killed; `meanwhile` sees these files. */
export async function inLog(file: string, sql: string, meanwhile: () => Promise<void>): Promise<void> {
  const db = new Database(file);
  try {
    db.pragma('wal_autocheckpoint = 0');
    db.exec(sql);
    await meanwhile();
  } finally {
    db.close();
  }
}

/** Returns the first value of the first row. */
export function valueIn(file: string, sql: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare<[]>(sql).pluck().get();
  } finally {
    db.close();
  }
}

/** Returns the first two values of each row, the former by number. */
export function valuesIn(file: string, sql: string): Map<number, string> {
  const db = new Database(file, { readonly: true });
  try {
    return new Map(db.prepare<[], [number, string]>(sql).raw().all());
  } finally {
    db.close();
  }
}
