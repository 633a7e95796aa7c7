/**
 * On the thread of a writer: what a turn committed is in the log of the standbys before anybody is answered
 * (docs/decisions/0068-one-active-broker.md).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { keepPosition } from './kept-position.ts';
import { type PageCommit, packed } from './page-commit.ts';
import { connectPageLog, Deposed, type PageLog, type PageLogOptions } from './page-log.ts';
import { openWal } from './wal-commits.ts';

/** What the active broker may write, and from where on. */
export interface ShipSettings extends PageLogOptions {
  epoch: number;
  /** The last position of the store in the log. */
  pos: number;
}

export interface Ship {
  /**
   * Resolves when everything that was committed is in the log, however long the database cannot be reached.
   * @throws Deposed if another broker took over; Error if SQLite's log cannot be read.
   */
  turn(): Promise<void>;
  /** Folds SQLite's log into the file, unless a turn failed. Call it when no turn is under way. */
  close(): void;
}

/** What one entry of the log holds at most. */
const entryBytes = 16 * 1024 * 1024;
const foldedBytes = 16 * 1024 * 1024;
const retryMs = { first: 50, most: 1000 };

/** Returns the commit in parts; a copy that has all of them has the commit. */
export function partsOf({ pageBytes, pages, changed }: PageCommit): PageCommit[] {
  const pagesOfPart = Math.max(1, Math.floor(entryBytes / pageBytes));
  const all = [...changed];
  const parts: PageCommit[] = [];
  for (let at = 0; at === 0 || at < all.length; at += pagesOfPart)
    parts.push({ pageBytes, pages, changed: new Map(all.slice(at, at + pagesOfPart)) });
  return parts;
}

/** `file` is open in `db`, whose commits nothing but this checkpoints. */
export function createShip(
  db: Database.Database,
  store: string,
  file: string,
  { epoch, pos, ...options }: ShipSettings,
): Ship {
  const wal = openWal(file);
  let log: PageLog | null = null;
  let last = pos;
  let unfoldedBytes = 0;
  let hasFailed = false;

  async function append(bodies: readonly Uint8Array[]): Promise<void> {
    for (let waitMs = retryMs.first; ; waitMs = Math.min(retryMs.most, 2 * waitMs)) {
      try {
        if (log === null || log.isLost) log = await connectPageLog(options);
        await log.append(store, last + 1, epoch, bodies);
        return;
      } catch (error) {
        if (error instanceof Deposed) throw error;
        // It may have been done all the same; then it changes nothing when it is done again.
        log?.end();
        log = null;
        await pause(waitMs);
      }
    }
  }

  /** The file gets only what is in the log, so that a copy of it is never ahead of the log. */
  function fold(mode: 'PASSIVE' | 'TRUNCATE'): void {
    const [{ busy, log: frames, checkpointed }] = db.pragma(`wal_checkpoint(${mode})`) as [
      { busy: number; log: number; checkpointed: number },
    ];
    // A reader of an older state keeps SQLite from folding everything.
    if (busy !== 0 || frames !== checkpointed) return;
    keepPosition(file, last);
    unfoldedBytes = 0;
  }

  async function ship(): Promise<void> {
    const commit = wal.next();
    if (commit === null) return;
    const bodies = partsOf(commit).map(packed);
    await append(bodies);
    last += bodies.length;
    unfoldedBytes += commit.changed.size * commit.pageBytes;
    if (unfoldedBytes > foldedBytes) fold('PASSIVE');
  }

  return {
    async turn() {
      try {
        await ship();
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    },
    close() {
      wal.close();
      log?.end();
      if (!hasFailed) fold('TRUNCATE');
    },
  };
}
