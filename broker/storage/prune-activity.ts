/**
 * Removes old rows from the activity store's file and gives their space back, beside a broker that is running on it: in transactions of a
 * few milliseconds with pauses as long, so that the broker's own writes come through (specification "Persistent stores" 2).
 */
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { StartUpError } from '../runtime/start-up-error.ts';
import { activityMigrations } from './activity.migrations.ts';
import { lockStore } from './sqlite/open-database.ts';

export interface Pruned {
  rows: number;
  /** By which the file became smaller. */
  bytes: number;
  /** False for a file of an earlier version while a broker has it: its free space is used again, but not given back. */
  isShrunk: boolean;
}

export interface PruneOptions {
  file: string;
  /** Rows stored before this go, epoch ms. */
  before: number;
  /** Called after every step. */
  onStep?: (done: { rows: number; bytes: number }) => void;
  /** Ms that pass, for pacing; the system's unless given. */
  stopwatch?: () => number;
}

/** How long a broker's large batch may keep the file. */
const lockTimeoutMs = 30_000;
const stepMs = { short: 8, long: 30 };
const maxCheckpointTries = 50;
const checkpointTimeoutMs = 100;

/** @throws StartUpError (exit code 1) with one sentence; what was removed until then stays removed. */
export async function pruneActivity({
  file,
  before,
  onStep,
  stopwatch = () => performance.now(),
}: PruneOptions): Promise<Pruned> {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { fileMustExist: true, timeout: lockTimeoutMs });
    refuseForeign(db, file);
    db.pragma('synchronous = FULL');
    db.pragma('fullfsync = ON');
    db.pragma('checkpoint_fullfsync = ON');
    let rows = 0;
    for await (const removed of removeRows(db, before, stopwatch)) {
      rows += removed;
      onStep?.({ rows, bytes: 0 });
    }
    let bytes = 0;
    let isShrunk = true;
    if (db.pragma('auto_vacuum', { simple: true }) === 0) {
      const freed = rewriteFile(db, file);
      isShrunk = freed !== null;
      bytes = freed ?? 0;
    } else {
      for await (const freed of shrinkFile(db, stopwatch)) {
        bytes += freed;
        onStep?.({ rows, bytes });
      }
    }
    await foldLog(db);
    return { rows, bytes, isShrunk };
  } catch (error) {
    throw asStartUpError(file, error);
  } finally {
    db?.close();
  }
}

function refuseForeign(db: Database.Database, file: string): void {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'activity'").get();
  if (table === undefined)
    throw new StartUpError(`${file} is not an activity store; name the one of SVC_ACTIVITY_DB_PATH`, 1);
  if (Number(db.pragma('user_version', { simple: true })) > activityMigrations.length)
    throw new StartUpError(`${file} was written by a newer version of Muster; prune it with that version`, 1);
}

interface Step {
  done: number;
  isThrough: boolean;
  /** When it had the file. Waiting for it says nothing of the work: counted, a busy broker would bring the steps down to single rows. */
  begunAt: number;
}

/** Runs `step` until it says that it is through, with as much work at a time as fits a few milliseconds; answers each step's result. */
async function* inSteps(
  first: number,
  stopwatch: () => number,
  step: (amount: number) => Step,
): AsyncGenerator<number> {
  for (let amount = first; ; ) {
    const { done, isThrough, begunAt } = step(amount);
    const tookMs = stopwatch() - begunAt;
    yield done;
    if (isThrough) return;
    if (tookMs < stepMs.short) amount *= 2;
    else if (tookMs > stepMs.long) amount = Math.max(1, amount >> 1);
    await pause(tookMs);
  }
}

/** Ids and `created_at` grow together: what is old is a run from the lowest id on, and no index by time is needed. */
function removeRows(db: Database.Database, before: number, stopwatch: () => number): AsyncGenerator<number> {
  const oldest = db.prepare<[number], { id: number; created_at: number }>(
    'SELECT id, created_at FROM activity ORDER BY id LIMIT ?',
  );
  const removeUpTo = db.prepare<[number]>('DELETE FROM activity WHERE id <= ?');
  const remove = db.transaction((amount: number): Step => {
    const begunAt = stopwatch();
    const rows = oldest.all(amount);
    const young = rows.findIndex(({ created_at }) => created_at >= before);
    const old = young === -1 ? rows : rows.slice(0, young);
    const last = old.at(-1);
    if (last !== undefined) removeUpTo.run(last.id);
    return { done: old.length, isThrough: old.length < amount, begunAt };
  });
  return inSteps(100, stopwatch, (amount) => remove.immediate(amount));
}

function shrinkFile(db: Database.Database, stopwatch: () => number): AsyncGenerator<number> {
  const count = (what: 'page_count' | 'freelist_count'): number => Number(db.pragma(what, { simple: true }));
  const pageBytes = Number(db.pragma('page_size', { simple: true }));
  const shrink = db.transaction((pages: number): Step => {
    const begunAt = stopwatch();
    const present = count('page_count');
    // exec, because the pragma frees one page for each time it is stepped.
    db.exec(`PRAGMA incremental_vacuum(${pages})`);
    const freed = present - count('page_count');
    const isThrough = freed === 0 || count('freelist_count') === 0;
    return { done: freed * pageBytes, isThrough, begunAt };
  });
  return inSteps(50, stopwatch, (pages) => shrink.immediate(pages));
}

/** For files made before they could shrink piece by piece; needs the file for itself. Answers the bytes, null when a broker has the file. */
function rewriteFile(db: Database.Database, file: string): number | null {
  let lock: Database.Database | null;
  try {
    lock = lockStore(file);
  } catch {
    return null;
  }
  try {
    const size = (): number =>
      Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
    const before = size();
    db.pragma('auto_vacuum = INCREMENTAL');
    db.exec('VACUUM');
    return Math.max(0, before - size());
  } finally {
    lock?.close();
  }
}

/** The file itself becomes smaller when the log is folded into it; a reader in the middle of something makes it wait. */
async function foldLog(db: Database.Database): Promise<void> {
  db.pragma(`busy_timeout = ${checkpointTimeoutMs}`);
  const fold = db.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let n = 0; n < maxCheckpointTries; n++) {
    if (fold.get()?.busy === 0) return;
    await pause(checkpointTimeoutMs);
  }
}

function asStartUpError(file: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const { code, message } = error;
  if (code === 'SQLITE_BUSY')
    return new StartUpError(`${file} is kept busy by the broker; try again when less is uploaded`, 1);
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return new StartUpError(`${file} is damaged or no store (${message}); restore it from a backup`, 1);
  return new StartUpError(
    `${file} cannot be pruned (${message}); check that it is there and yours to write, and that the disk has room`,
    1,
  );
}
