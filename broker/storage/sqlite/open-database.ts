/** Opens one SQLite file the way every store is opened (ADR 0015). */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { codeOf, reasonOf } from '#platform/error-text.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { StartUpError } from '../../runtime/start-up-error.ts';
import type { ThreadRole } from '../thread-messages.ts';
import { fileFaults } from './file-faults.ts';

/** The file is damaged, or cannot be opened or written. A broker starts without a store that it can do without. */
export class UnusableStore extends StartUpError {}

export const inMemory = ':memory:';

/**
 * The size of the log at which a commit checkpoints it into the database: so large that a burst seldom waits for
 * it.
 */
const checkpointBytes = 4000 * 4096;

/** How a new file is laid out; a file that has a page already keeps its own layout. */
export interface FileLayout {
  /** It can return space piece by piece (prune-activity.ts). */
  canShrink?: boolean;
  /** A power of two from 512 to 65,536; 4096 by default. */
  pageBytes?: number;
}

interface OpenOptions extends FileLayout {
  /** Each commit is in the log of the standbys before anybody is answered: it makes them durable, and folds the log. */
  isShipped?: boolean;
  /** Called with a fault of an index, without which the store can be used. */
  onDamage?: (fault: string) => void;
}

/** How long to wait for another program that has the file, such as a backup. */
const lockTimeoutMs = 5000;

/**
 * A file up to this size is checked completely at start (about 1.5 ms per MiB), a larger one only where the
 * start reads it.
 */
const checkedBytes = 64 * 1024 * 1024;

/**
 * Opens `file`, migrates it (writer only), and returns the connection. `synchronous=FULL` makes a commit
 * survive a power failure; `fullfsync` does so on macOS, where fsync alone does not.
 * @throws StartUpError for a file that cannot be opened, is damaged, is in use, or was written by a newer
 *   version; the file is left as it is.
 */
export function openDatabase(
  file: string,
  role: ThreadRole,
  migrations: readonly string[],
  { canShrink = false, pageBytes, isShipped = false, onDamage }: OpenOptions = {},
): Database.Database {
  try {
    if (file !== inMemory && role === 'writer') {
      checkBeforeWriting(file, migrations.length, onDamage);
      createPrivately(file);
    }
    const db = new Database(file, { readonly: role === 'reader', timeout: lockTimeoutMs });
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    if (role === 'writer') {
      // These take effect in a file that is still empty, and only before its first page is written.
      if (pageBytes !== undefined) db.pragma(`page_size = ${pageBytes}`);
      if (canShrink) db.pragma('auto_vacuum = INCREMENTAL');
      db.pragma('journal_mode = WAL');
      db.pragma(`synchronous = ${isShipped ? 'NORMAL' : 'FULL'}`);
      db.pragma('fullfsync = ON');
      db.pragma('checkpoint_fullfsync = ON');
      const presentPageBytes = Number(db.pragma('page_size', { simple: true }));
      // Off before migrations, because a large one would be folded before it is shipped.
      db.pragma(`wal_autocheckpoint = ${isShipped ? 0 : Math.round(checkpointBytes / presentPageBytes)}`);
      migrate(db, file, migrations);
      // A read-only file would open and refuse every write later; BEGIN alone does not notice.
      db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${migrations.length}; ROLLBACK`);
    }
    db.pragma('cache_size = -16000');
    return db;
  } catch (error) {
    throw startUpError(file, error);
  }
}

/** Created before SQLite would, so that it, its log, and its index have mode 0600 from the first byte. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (existsSync(file)) chmodSync(file, 0o600);
  else closeSync(openSync(file, 'a', 0o600));
}

/**
 * Refuses, through a connection that cannot write, what must stay as it is: a connection that can would
 * checkpoint the log into the file when it closes, and would drop the log of an empty file.
 */
function checkBeforeWriting(file: string, migrations: number, onDamage: OpenOptions['onDamage']): void {
  const size = sizeOf(file);
  if (size === 0) {
    if (sizeOf(`${realName(file)}-wal`) === 0) return;
    throw damaged(file, 'it is empty or was missing, while its log is not');
  }
  const db = new Database(file, { readonly: true, timeout: lockTimeoutMs });
  try {
    refuseNewer(db, file, migrations);
    if (size > checkedBytes) return;
    const { lasting, rebuildable } = fileFaults(db, 'quick_check');
    const fault = lasting[0] ?? (onDamage === undefined ? rebuildable[0] : undefined);
    if (fault !== undefined) throw damaged(file, fault);
    if (rebuildable[0] !== undefined) onDamage?.(rebuildable[0]);
  } catch (error) {
    // Killed while the file was being created: the writer rolls that back and begins again.
    if (!isSqliteError(error, 'SQLITE_READONLY_ROLLBACK')) throw error;
  } finally {
    db.close();
  }
}

/** 0 if there is no such file. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** The file that a link leads to: it is the same store, and SQLite keeps the log beside the real one. */
export const realName = (file: string): string => (existsSync(file) ? realpathSync(file) : file);

/** Returns the number of applied migrations. @throws StartUpError if they are more than `migrations`. */
export function refuseNewer(db: Database.Database, file: string, migrations: number): number {
  const applied = Number(db.pragma('user_version', { simple: true }));
  if (applied <= migrations) return applied;
  throw new StartUpError(
    `"${file}" was written by a newer version of Muster; start that version, or restore an older backup`,
  );
}

/** Each migration runs once, in order; `user_version` counts the applied ones. */
function migrate(db: Database.Database, file: string, migrations: readonly string[]): void {
  const applied = refuseNewer(db, file, migrations.length);
  for (const [index, sql] of migrations.entries()) {
    if (index < applied) continue;
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${index + 1}`);
    })();
  }
}

/**
 * Locks a file that exists only for that, until the connection is closed; the operating system releases it with
 * the process, however it ends. Null if somebody else holds it.
 */
export function lockFile(path: string): Database.Database | null {
  createPrivately(path);
  const lock = new Database(path, { timeout: 0 });
  try {
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (isSqliteError(error, 'SQLITE_BUSY')) return null;
    throw error;
  }
}

/**
 * One broker per store, because two would assign the same positions. Null for a store in memory.
 * @throws StartUpError if another process holds it.
 */
export function lockStore(file: string): Database.Database | null {
  if (file === inMemory) return null;
  const lock = lockBeside(file);
  if (lock !== null) return lock;
  throw new StartUpError(
    `"${file}" is in use by another broker; stop that broker, or name other stores for this one with --db and --activity-db, or in its configuration`,
    1,
  );
}

function lockBeside(file: string): Database.Database | null {
  try {
    return lockFile(`${realName(file)}.lock`);
  } catch (error) {
    throw startUpError(file, error);
  }
}

const isSqliteError = (error: unknown, code: string): boolean =>
  error instanceof Database.SqliteError && error.code === code;

function damaged(file: string, reason: string): StartUpError {
  return new UnusableStore(
    `"${file}" is damaged (${reason}); run "${svcCommand} repair", restore it from a backup, or move it and its -wal file to another folder to start empty`,
    1,
  );
}

function startUpError(file: string, error: unknown): StartUpError {
  if (error instanceof StartUpError) return error;
  const reason = reasonOf(error);
  const code = codeOf(error) ?? '';
  if (
    code === 'SQLITE_NOTADB' ||
    code.startsWith('SQLITE_CORRUPT') ||
    reason.startsWith('vtable constructor')
  )
    return damaged(file, reason);
  return new UnusableStore(
    `"${file}" cannot be opened (${reason}); check that the path exists and that you may read and write it`,
    1,
    { cause: error },
  );
}
