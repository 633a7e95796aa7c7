/** The questions of a repair about the file of a store, which may be damaged. */
import Database from 'better-sqlite3';
import { reasonOf } from '#platform/error-text.ts';
import { indexDamage } from '../features/search/index-marks.rules.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { type FileFaults, fileFaults } from '../storage/sqlite/file-faults.ts';
import { lockStore, realName, refuseNewer } from '../storage/sqlite/open-database.ts';
import { hasTable } from './store-schema.sqlite.ts';

export { realName };

/** Holds the store until the result is disposed of. @throws StartUpError while a broker uses it. */
export function holdStore(file: string): Disposable {
  const lock = lockStore(file);
  return { [Symbol.dispose]: () => lock?.close() };
}

/** @throws StartUpError if a newer version of Muster wrote the store, as far as its header can be read. */
export function refuseNewerStore(file: string, migrations: number): void {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    refuseNewer(db, file, migrations);
  } catch (error) {
    if (error instanceof StartUpError) throw error;
  } finally {
    db?.close();
  }
}

/** Reads all of it. A file that cannot be opened is a fault. */
export function faultsOf(file: string): FileFaults {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    const faults = fileFaults(db, 'integrity_check');
    const isNoted =
      hasTable(db, 'index_progress') &&
      db.prepare('SELECT 1 FROM index_progress WHERE what = ?').get(indexDamage) !== undefined;
    if (isNoted) faults.rebuildable.push('the broker found that the search index is damaged');
    return faults;
  } catch (error) {
    return { rebuildable: [], lasting: [reasonOf(error)] };
  } finally {
    db?.close();
  }
}

/** The log goes into the file, so that the file alone is the store when another one takes its place. */
export function foldLog(file: string): void {
  try {
    const db = new Database(file, { fileMustExist: true });
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  } catch {
    // SQLite cannot open the file, and the log stays beside it.
  }
}
