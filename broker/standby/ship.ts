/**
 * On the thread of a writer: what a turn committed is in the log of the standbys before anybody is answered
 * (docs/decisions/0068-one-active-broker.md).
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { pageBytesIn } from '../storage/sqlite/file-faults.ts';
import { beginOf, keepPosition } from './kept-position.ts';
import { type PageCommit, packed } from './page-commit.ts';
import { type LogEnd, LostTail, type PageLogOptions } from './page-log.ts';
import { createPersistence } from './persistence.ts';
import { openWal } from './wal-commits.ts';

/** The right of the active broker to write, and the position from which on it does. */
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
   * Resolves when everything that was committed is in the log, however long the database cannot be reached; with false if
   * nothing was. @throws Deposed if another broker took over; Error if SQLite's log cannot be read.
   */
  turn(): Promise<boolean>;
  /**
   * Fails the turn that is under way, if the database cannot be reached, and folds SQLite's log into the file if all of it was
   * shipped. Resolves in a few seconds.
   */
  close(): Promise<void>;
}

/** The limit of one entry of the log. */
const entryBytes = 16 * 1024 * 1024;
const foldedBytes = 16 * 1024 * 1024;
/** The begin of a file, with the size of its pages. */
const headBytes = 18;
/** The time that a request may still take when the store is closed. */
const giveUpMs = 1000;
/** While nobody writes. */
const lookMs = 1000;
/** Until a reader has ended. */
const retryMs = 50;

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

export interface ShipNews {
  /** The database lost what it had confirmed, and gets all of the store anew. */
  onLostTail(): void;
  /** Called with the reason when the database has not taken something for some seconds, and with null whenever it takes something. */
  onFault(reason: string | null): void;
}

/** `file` is open in `db`, whose commits nothing but this checkpoints. */
export function createShip(
  db: Database.Database,
  store: string,
  file: string,
  { epoch, log: end, ...options }: ShipSettings,
  news: ShipNews,
): Ship {
  const wal = openWal(file);
  const persistence = createPersistence(options, news.onFault);
  const { persist } = persistence;
  let last = end ?? beginOf(randomUUID());
  let unfoldedBytes = 0;
  /** Whether the log has all commits that were read. */
  let isShipped = true;

  /** Returns whether the file has everything. `isKept`: the log has it as well. */
  function fold(mode: 'PASSIVE' | 'TRUNCATE', isKept = true): boolean {
    const [{ busy, log: frames, checkpointed }] = db.pragma(`wal_checkpoint(${mode})`) as [
      { busy: number; log: number; checkpointed: number },
    ];
    // A reader of an older state keeps SQLite from folding everything.
    if (busy !== 0 || frames !== checkpointed) return false;
    unfoldedBytes = 0;
    if (isKept) keepPosition(file, last);
    return true;
  }

  /** On a full disk, SQLite's log stays as it is; what was shipped is safe all the same. */
  function foldIfPossible(): void {
    try {
      fold('PASSIVE');
    } catch {
      // The next turn tries again.
    }
  }

  async function append(bodies: readonly Uint8Array[]): Promise<void> {
    await persist((log) => log.append(store, last.pos + 1, epoch, bodies));
    last = { ...last, pos: last.pos + bodies.length, epoch };
  }

  /** Until the base is complete, nobody else can take the lease, so its parts need not be written together. */
  async function shipBase(): Promise<void> {
    if (!fold('TRUNCATE', false)) throw new Error(`another program uses "${file}"; stop it first`);
    isShipped = false;
    const base = { ...last, pos: last.pos + 1, epoch };
    let size = { pages: 0, pageBytes: 0 };
    await persist((log) => log.beginAnew(store, epoch));
    for (const part of partsOfFile(file)) {
      size = part;
      await persist((log) => log.putBase(store, base, part));
    }
    const after = last;
    last = base;
    keepPosition(file, last);
    await persist((log) => log.completeBase(store, after, base, size));
    isShipped = true;
  }

  /** This store has everything: what the database lost, and what it does not have yet. */
  async function shipAnew(): Promise<void> {
    news.onLostTail();
    // A reader still has an older state.
    while (!fold('TRUNCATE', false)) await pause(retryMs);
    await shipBase();
  }

  /** A log that ends before what it confirmed may also be noticed when nobody writes. */
  async function look(): Promise<void> {
    let present: LogEnd | undefined;
    await persist(async (log) => {
      present = (await log.completeLogs()).get(store);
    });
    if (present?.id !== last.id || present.pos < last.pos) await shipAnew();
  }

  async function ship(): Promise<boolean> {
    const commit = wal.next();
    if (commit === null) return false;
    isShipped = false;
    try {
      await append(partsOf(commit).map(packed));
      isShipped = true;
    } catch (error) {
      if (!(error instanceof LostTail)) throw error;
      await shipAnew();
    }
    unfoldedBytes += commit.changed.size * commit.pageBytes;
    if (unfoldedBytes > foldedBytes) foldIfPossible();
    return true;
  }

  let working: Promise<unknown> = Promise.resolve();
  /** One after the other; after a failure, all of them fail. */
  const next = <Done>(work: () => Promise<Done>): Promise<Done> => {
    const done = working.then(work);
    working = done;
    return done;
  };
  let isIdle = true;
  const looking = setInterval(() => {
    // The next turn fails as well, and says why.
    if (isIdle) next(look).catch(() => undefined);
    isIdle = true;
  }, lookMs).unref();

  return {
    begin: () => next(end === null ? shipBase : () => look().then(async () => void (await ship()))),
    turn() {
      isIdle = false;
      return next(ship);
    },
    async close() {
      clearInterval(looking);
      persistence.stop();
      const givingUp = setTimeout(persistence.end, giveUpMs);
      await working.catch(() => undefined);
      clearTimeout(givingUp);
      persistence.end();
      if (isShipped && wal.next() === null) fold('TRUNCATE');
      wal.close();
    },
  };
}
