/**
 * Deletes old rows from the activity store's file and returns their space, beside a running broker: in
 * transactions of a few milliseconds with longer pauses, so that the broker's own writes get through
 * (specification/activity.md#pruning).
 */
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { StartUpError } from '../runtime/start-up-error.ts';
import { activityMigrations } from './activity.migrations.ts';
import { loosePieces } from './loose-pieces.ts';
import { lockStore } from './sqlite/open-database.ts';

export interface Pruned {
  rows: number;
  /** By how much the file became smaller. */
  bytes: number;
  /**
   * False for a file of an earlier version while a broker has it open: its free space is reused, but not
   * returned.
   */
  isShrunk: boolean;
}

export interface PruneOptions {
  file: string;
  /** Rows that were stored before this are deleted, epoch ms. */
  before: number;
  /** Epoch ms, the system's by default. */
  now?: number;
  /** The members whose rows stay, because of a legal hold. */
  held?: readonly string[];
  /** Called after every step. */
  onStep?: (done: { rows: number; bytes: number }) => void;
  /** Returns the elapsed ms, for pacing; the system's by default. */
  stopwatch?: () => number;
}

/** How long a broker's large batch may keep the file. */
const lockTimeoutMs = 30_000;
/** Of the statements, without the commit. */
const stepMs = { short: 4, long: 12 };
/** How long a pause is, in lengths of the step before it: posts of a broker need the same cores and disk. */
const pauseSteps = 3;
const maxCheckpointTries = 50;
const checkpointTimeoutMs = 100;

/** @throws StartUpError (exit code 1) with one sentence; what was deleted until then stays deleted. */
export async function pruneActivity({
  file,
  before,
  now = Date.now(),
  held = [],
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
    for await (const removed of removeRows(db, { before, now, held }, stopwatch)) {
      rows += removed;
      onStep?.({ rows, bytes: 0 });
    }
    for await (const _ of removeLoosePieces(db, stopwatch)) onStep?.({ rows, bytes: 0 });
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
    throw new StartUpError(`"${file}" is not an activity store; name the file of SVC_ACTIVITY_DB_PATH`, 1);
  if (Number(db.pragma('user_version', { simple: true })) > activityMigrations.length)
    throw new StartUpError(
      `"${file}" was written by a newer version of Muster; prune it with that version`,
      1,
    );
}

interface Step {
  done: number;
  isThrough: boolean;
}

/** When it got the file, and how long its statements took. */
interface Timed {
  begunAt: number;
  workMs: number;
}

/**
 * Runs `step` in a transaction until it reports that it is done, with as much work at a time as fits a few milliseconds. Yields
 * each step's result.
 *
 * The amount follows the time of the statements alone. Waiting for the file and the commit say nothing about it: if they were
 * counted, a busy broker or a slow disk would shrink the steps to single rows.
 */
async function* inSteps(
  db: Database.Database,
  stopwatch: () => number,
  first: number,
  step: (amount: number) => Step,
): AsyncGenerator<number> {
  const run = db.transaction((amount: number): Step & Timed => {
    const begunAt = stopwatch();
    const taken = step(amount);
    return { ...taken, begunAt, workMs: stopwatch() - begunAt };
  });
  for (let amount = first; ; ) {
    const { done, isThrough, begunAt, workMs } = run.immediate(amount);
    const tookMs = stopwatch() - begunAt;
    yield done;
    if (isThrough) return;
    if (workMs < stepMs.short) amount *= 2;
    else if (workMs > stepMs.long) amount = Math.max(1, amount >> 1);
    await pause(pauseSteps * tookMs);
  }
}

/**
 * Ids and `created_at` grow together, except in what a clock stamped that was ahead: old rows are a run from the lowest id on, and
 * no index by time is needed. Rows of the future stay, and end nothing.
 */
function removeRows(
  db: Database.Database,
  { before, now, held }: Required<Pick<PruneOptions, 'before' | 'now' | 'held'>>,
  stopwatch: () => number,
): AsyncGenerator<number> {
  const oldest = db.prepare<[number, number], { id: number; created_at: number }>(
    'SELECT id, created_at FROM activity WHERE id > ? ORDER BY id LIMIT ?',
  );
  const removeBetween = db.prepare<[number, number, number, string]>(
    `DELETE FROM activity
     WHERE id > ? AND id <= ? AND created_at < ? AND member NOT IN (SELECT value FROM json_each(?))`,
  );
  const heldJson = JSON.stringify(held);
  let after = 0;
  return inSteps(db, stopwatch, 100, (amount) => {
    const rows = oldest.all(after, amount);
    const young = rows.findIndex(({ created_at }) => created_at >= before && created_at <= now);
    const old = young === -1 ? rows : rows.slice(0, young);
    const last = old.at(-1)?.id;
    const done = last === undefined ? 0 : removeBetween.run(after, last, before, heldJson).changes;
    after = last ?? after;
    return { done, isThrough: old.length < amount };
  });
}

/** A file that no broker has migrated yet has no pieces. */
async function* removeLoosePieces(db: Database.Database, stopwatch: () => number): AsyncGenerator<number> {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'loose_piece'").get();
  if (table === undefined) return;
  const removeLoose = loosePieces(db);
  yield* inSteps(db, stopwatch, 100, (amount) => {
    const done = removeLoose(amount);
    return { done, isThrough: done < amount };
  });
}

function shrinkFile(db: Database.Database, stopwatch: () => number): AsyncGenerator<number> {
  const count = (what: 'page_count' | 'freelist_count'): number => Number(db.pragma(what, { simple: true }));
  const pageBytes = Number(db.pragma('page_size', { simple: true }));
  return inSteps(db, stopwatch, 50, (pages) => {
    const present = count('page_count');
    // `exec`, because the pragma frees one page each time it is stepped.
    db.exec(`PRAGMA incremental_vacuum(${pages})`);
    const freed = present - count('page_count');
    const isThrough = freed === 0 || count('freelist_count') === 0;
    return { done: freed * pageBytes, isThrough };
  });
}

/**
 * For files that were created before they could shrink piece by piece; it needs the file for itself. Returns
 * the bytes, or null if a broker has the file open.
 */
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

/** The file itself becomes smaller when the log is checkpointed into it; an active reader makes it wait. */
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
    return new StartUpError(
      `"${file}" is busy, because the broker writes to it; try again when less is uploaded`,
      1,
    );
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return new StartUpError(
      `"${file}" is damaged or is not a store (${message}); restore it from a backup`,
      1,
    );
  return new StartUpError(
    `"${file}" cannot be pruned (${message}); check that it exists, that you may write it, and that the disk has space`,
    1,
  );
}
