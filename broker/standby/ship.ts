/**
 * On the thread of a writer: what a turn committed is in the log of the standbys before anybody is answered
 * (docs/decisions/0068-one-active-broker.md).
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { pageBytesIn } from '../storage/sqlite/file-faults.ts';
import { keepPosition } from './kept-position.ts';
import { type PageCommit, packed } from './page-commit.ts';
import { connectPageLog, Deposed, type LogEnd, type PageLog, type PageLogOptions } from './page-log.ts';
import { openWal } from './wal-commits.ts';

/** What the active broker may write, and from where on. */
export interface ShipSettings extends PageLogOptions {
  epoch: number;
  /** The end of the store's log; null if there is none: then the store is shipped whole. */
  log: LogEnd | null;
}

export interface Ship {
  /**
   * Resolves when the log has what the store holds when it is opened. @throws like `turn`.
   */
  begin(): Promise<void>;
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
/** What says how large the pages of a file are. */
const headBytes = 18;
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

/** All pages of a store whose log is folded into its file. */
function* partsOfFile(file: string): Generator<PageCommit> {
  const fd = openSync(file, 'r');
  try {
    const head = Buffer.alloc(headBytes);
    if (readSync(fd, head, 0, headBytes, 0) < headBytes) return;
    const pageBytes = pageBytesIn(head);
    const pages = fstatSync(fd).size / pageBytes;
    const pagesOfPart = Math.max(1, Math.floor(entryBytes / pageBytes));
    for (let first = 1; first <= pages; first += pagesOfPart) {
      const changed = new Map<number, Buffer>();
      for (let page = first; page < first + pagesOfPart && page <= pages; page += 1) {
        const bytes = Buffer.alloc(pageBytes);
        if (readSync(fd, bytes, 0, pageBytes, (page - 1) * pageBytes) < pageBytes)
          throw new Error(`"${file}" became shorter while it was read`);
        changed.set(page, bytes);
      }
      yield { pageBytes, pages, changed };
    }
  } finally {
    closeSync(fd);
  }
}

/** `file` is open in `db`, whose commits nothing but this checkpoints. */
export function createShip(
  db: Database.Database,
  store: string,
  file: string,
  { epoch, log: end, ...options }: ShipSettings,
): Ship {
  const wal = openWal(file);
  let log: PageLog | null = null;
  const logId = end?.id ?? randomUUID();
  let last = end?.pos ?? 0;
  let unfoldedBytes = 0;
  let hasFailed = false;

  /** Resolves when the database has done it, however long it cannot be reached. @throws Deposed. */
  async function persist(write: (log: PageLog) => Promise<void>): Promise<void> {
    for (let waitMs = retryMs.first; ; waitMs = Math.min(retryMs.most, 2 * waitMs)) {
      try {
        if (log === null || log.isLost) log = await connectPageLog(options);
        await write(log);
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

  /** Returns whether the file has everything. */
  function fold(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    const [{ busy, log: frames, checkpointed }] = db.pragma(`wal_checkpoint(${mode})`) as [
      { busy: number; log: number; checkpointed: number },
    ];
    // A reader of an older state keeps SQLite from folding everything.
    if (busy !== 0 || frames !== checkpointed) return false;
    unfoldedBytes = 0;
    keepPosition(file, logId, last);
    return true;
  }

  async function append(bodies: readonly Uint8Array[]): Promise<void> {
    await persist((log) => log.append(store, last + 1, epoch, bodies));
    last += bodies.length;
  }

  /** Until the base is complete, nobody else can take the lease, so its parts need not be written together. */
  async function shipBase(): Promise<void> {
    if (!fold('TRUNCATE')) throw new Error(`another program uses "${file}"; stop it first`);
    const base = { id: logId, pos: last + 1 };
    let size = { pages: 0, pageBytes: 0 };
    await persist((log) => log.beginAnew(store, epoch));
    for (const part of partsOfFile(file)) {
      size = part;
      await persist((log) => log.putBase(store, base, epoch, part));
    }
    last = base.pos;
    keepPosition(file, logId, last);
    await persist((log) => log.completeBase(store, base, epoch, size));
  }

  async function ship(): Promise<void> {
    const commit = wal.next();
    if (commit === null) return;
    await append(partsOf(commit).map(packed));
    unfoldedBytes += commit.changed.size * commit.pageBytes;
    if (unfoldedBytes > foldedBytes) fold('PASSIVE');
  }

  async function failing(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  return {
    begin: () => failing(end === null ? shipBase : ship),
    turn: () => failing(ship),
    close() {
      wal.close();
      log?.end();
      if (!hasFailed) fold('TRUNCATE');
    },
  };
}
