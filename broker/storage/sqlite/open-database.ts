/** Opens one SQLite file the way every store is opened (architecture "Storage", D15). */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { StartUpError } from '../../runtime/start-up-error.ts';
import type { ThreadRole } from '../thread-messages.ts';

export const inMemory = ':memory:';

/** Pages in the log before a commit folds them into the database: large enough that a burst seldom waits for it. */
const checkpointPages = 4000;

/**
 * Opens `file`, migrates it (writer only) and returns the connection.
 * `synchronous=FULL` makes a commit outlive power loss; `fullfsync` does so on macOS, where fsync alone does not.
 * @throws StartUpError for a file that cannot be opened, is damaged, in use, or written by a newer version; the file is left as it is.
 */
export function openDatabase(
  file: string,
  role: ThreadRole,
  migrations: readonly string[],
): Database.Database {
  try {
    if (file !== inMemory && role === 'writer') createPrivately(file);
    const db = new Database(file, { readonly: role === 'reader', timeout: 5000 });
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    if (role === 'writer') {
      db.pragma('journal_mode = WAL');
      db.pragma('synchronous = FULL');
      db.pragma('fullfsync = ON');
      db.pragma('checkpoint_fullfsync = ON');
      db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
      migrate(db, file, migrations);
    }
    db.pragma('cache_size = -16000');
    return db;
  } catch (error) {
    throw startUpError(file, error);
  }
}

/** Created before SQLite would, so that it, its log and its index are 0600 from the first byte. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

/** Each migration runs once, in order; `user_version` counts the ones applied. */
function migrate(db: Database.Database, file: string, migrations: readonly string[]): void {
  const applied = Number(db.pragma('user_version', { simple: true }));
  if (applied > migrations.length) {
    throw new StartUpError(
      `${file} was written by a newer version of Muster; start that version, or restore an older backup`,
    );
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < applied) continue;
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${index + 1}`);
    })();
  }
}

/**
 * One broker per store: two would hand out the same positions. The operating system drops the lock with the process, however it ends.
 * @throws StartUpError when another process holds it.
 */
export function lockStore(file: string): Database.Database | null {
  if (file === inMemory) return null;
  createPrivately(`${file}.lock`);
  const lock = new Database(`${file}.lock`, { timeout: 0 });
  try {
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') {
      throw new StartUpError(
        `${file} is in use by another broker; stop that one, or give this one stores of its own (SVC_DB_PATH, SVC_ACTIVITY_DB_PATH)`,
        1,
      );
    }
    throw startUpError(file, error);
  }
}

function startUpError(file: string, error: unknown): StartUpError {
  if (error instanceof StartUpError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new StartUpError(
      `${file} is damaged (${reason}); restore it from a backup, or move it and its -wal file away to start empty`,
      1,
    );
  }
  return new StartUpError(
    `${file} cannot be opened (${reason}); check that the path exists and is yours to read and write`,
    1,
  );
}
