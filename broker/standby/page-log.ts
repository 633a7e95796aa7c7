/**
 * The lease of the active broker, and the log of what it commits, in PostgreSQL. Only the database's clock counts, and
 * it sees encrypted pages only (docs/decisions/0068-one-active-broker.md).
 */
import { type KeyObject, randomInt } from 'node:crypto';
import { openBytes, sealBytes } from '../security/sealed-pages.ts';
import { pageBytesIn, pagesIn } from '../storage/sqlite/file-faults.ts';
import { openConnection } from './database-connection.ts';
import { type PageCommit, packedPage, unpackedPage } from './page-commit.ts';
import { pagesAtOnce, schema, statements } from './page-log-statements.ts';
import { refuseUnfit } from './unfit-database.ts';

const defaultRequestMs = 5000;
const connectMs = 2000;

/** Another broker holds the lease. A broker that gets this error must not answer anybody anymore. */
export class Deposed extends Error {
  override readonly name = 'Deposed';
  constructor() {
    super('another broker holds the lease');
  }
}

/** The database does not have what is before an entry, although it confirmed it. */
export class LostTail extends Error {
  override readonly name = 'LostTail';
  constructor() {
    super('the database lost what it had confirmed');
  }
}

/** An entry was sealed with another key, or is damaged. */
export class UnreadableEntry extends Error {
  override readonly name = 'UnreadableEntry';
}

export interface Entry {
  /** The position of the entry in the log of its store; the first one is 1. */
  pos: number;
  epoch: number;
  body: Buffer;
}

/** The log of one store. */
export interface LogEnd {
  /** Another one each time the log begins anew. */
  id: string;
  /** The last position. */
  pos: number;
  /** In which it was written. */
  epoch: number;
}

/** A small file of the team; without content, it was removed. */
export interface LoggedFile {
  name: string;
  content: Buffer | null;
}

/** The log of a store: its pages as of a position, and an entry for each commit behind it. */
export interface StoreLog extends LogEnd {
  /** The position of its pages. */
  folded: number;
  /** The number of pages of the store at that position. */
  pages: number;
}

/** The pages of a store as of `pos`, which take the place of the entries up to it. */
export interface Fold extends PageCommit {
  /** Of the log. */
  id: string;
  /** The position of the pages before. */
  from: number;
  pos: number;
  /** The least number of pages that the store had meanwhile. */
  fewestPages: number;
}

export interface PageLogOptions {
  /** postgres://… */
  url: string;
  /** Of this broker. */
  name: string;
  kek: KeyObject;
  /** A request that takes longer counts as failed. It may have been done all the same. */
  requestMs?: number;
}

/** One connection to the database. All of it fails when the connection is lost; then connect again. */
export interface PageLog {
  readonly isLost: boolean;
  /** Returns what `prepare` would find, and changes nothing. @throws StartUpError like it. */
  inspect(): Promise<{ isPrepared: boolean; canPrepare: boolean }>;
  /**
   * Creates the tables unless they are there. @throws StartUpError if the database is too old, or does not keep what
   * it has confirmed.
   */
  prepare(): Promise<void>;
  /** Calls `listener` when an entry was appended; calls may be missing. */
  onMore(listener: () => void): Promise<void>;
  /**
   * Appends bodies from position `pos` on, all of them or none. Resolves when the database has made them durable. A call
   * in doubt is simply repeated. @throws Deposed; LostTail if the log does not have what comes before.
   */
  append(store: string, pos: number, epoch: number, bodies: readonly Uint8Array[]): Promise<void>;
  /** Removes what the log holds of a store, so that its owner can write its pages. @throws Deposed. */
  beginAnew(store: string, epoch: number): Promise<void>;
  /** Writes some of the pages with which the log begins. @throws Deposed. */
  putBase(store: string, base: LogEnd, part: PageCommit): Promise<void>;
  /**
   * From now on, the log has everything of the store, in pages of this size. `after`: the end of the log that they go on
   * from, also if the database lost a part of it. @throws Deposed.
   */
  completeBase(
    store: string,
    after: LogEnd,
    base: LogEnd,
    size: Pick<PageCommit, 'pages' | 'pageBytes'>,
  ): Promise<void>;
  /** Returns the logs that have everything of their store. */
  completeLogs(): Promise<ReadonlyMap<string, StoreLog>>;
  /** Whether the log has what leads to this position: it may have lost that, and gone on otherwise. */
  holds(store: string, end: LogEnd): Promise<boolean>;
  /** Returns the next entries behind `pos`; none if there are no more. @throws UnreadableEntry. */
  entriesAfter(store: string, pos: number): Promise<Entry[]>;
  /** Keeps these files as version `version`, which is one above the last. @throws Deposed. */
  putFiles(version: number, epoch: number, files: readonly LoggedFile[]): Promise<void>;
  /** Returns the files that are newer than `version`, and the last version of all. @throws UnreadableEntry. */
  filesAfter(version: number): Promise<{ version: number; files: LoggedFile[] }>;
  /**
   * Passes on the pages that changed behind `pos`, in parts, and returns the end of a copy that has all of them.
   * @throws UnreadableEntry; Error if the pages are those of `pos` or before.
   */
  pagesAfter(store: string, pos: number, take: (part: PageCommit) => void): Promise<LogEnd>;
  /** Puts pages in the place of entries: all of it or nothing. Returns whether the log is still as it was before. */
  fold(store: string, fold: Fold): Promise<boolean>;
  /** Takes the lease if nobody confirmed it lately; returns its epoch, or null. */
  take(): Promise<number | null>;
  /** Confirms the lease. @throws Deposed. */
  confirm(epoch: number): Promise<void>;
  /** Gives the lease up, so that the next broker need not wait. */
  release(epoch: number): Promise<void>;
  end(): void;
}

const thereMark = 1;
const removedMark = 0;
const filePlace = (name: string, version: number, epoch: number): string =>
  `file:${name}:${version}:${epoch}`;
const placeOf = (store: string, pos: number, epoch: number): string => `${store}:${pos}:${epoch}`;
const placeOfPage = (store: string, { id, pos }: Pick<LogEnd, 'id' | 'pos'>, page: number): string =>
  `page:${store}:${id}:${page}:${pos}`;

/** @throws Error if the database cannot be reached. */
export async function connectPageLog({
  url,
  name,
  kek,
  requestMs = defaultRequestMs,
}: PageLogOptions): Promise<PageLog> {
  const connection = await openConnection({ url, name }, { connectMs, requestMs });
  const { client } = connection;
  let isLost = false;
  const lose = () => {
    isLost = true;
  };
  client.on('error', lose).on('end', lose);
  const end = () => {
    lose();
    connection.end();
  };

  type Row = Record<string, unknown>;
  const run = async (statement: keyof typeof statements, values: unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>({ name: statement, text: statements[statement], values })).rows;

  /** @throws what `work` throws; nothing is written then. */
  async function inTransaction<T>(work: () => Promise<T>, mode = ''): Promise<T> {
    await client.query(`BEGIN ${mode}`);
    try {
      const result = await work();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // Without a connection, the database does it.
      await client.query('ROLLBACK').catch(end);
      throw error;
    }
  }

  /** @throws Deposed. */
  async function runHeld(statement: keyof typeof statements, values: unknown[]): Promise<Row | undefined> {
    const [row] = await run(statement, values);
    if (Number(row?.held) === 0) throw new Deposed();
    return row;
  }

  function opened(body: unknown, place: string): Buffer {
    // Null: it is larger than any that a broker writes.
    const content = body === null ? null : openBytes(kek, body as Buffer, place);
    if (content !== null) return content;
    throw new UnreadableEntry(
      `the entry ${place} of the database was sealed with another key, or is damaged`,
    );
  }

  /** The database could name any size. The first page, which it cannot write, has the true one. */
  async function refuseOtherSize(store: string, id: string, size: { pages: number; pageBytes: number }) {
    const [row] = await run('firstPage', [store]);
    const place = placeOfPage(store, { id, pos: Number(row?.pos) }, 1);
    const first = unpackedPage(opened(row?.body ?? null, place));
    if (pageBytesIn(first) !== size.pageBytes || pagesIn(first) !== size.pages)
      throw new UnreadableEntry(`the database names another size for the store "${store}" than its pages`);
  }

  async function appendOne(store: string, pos: number, epoch: number, body: Uint8Array): Promise<void> {
    const sealed = sealBytes(kek, body, placeOf(store, pos, epoch));
    const row = await runHeld('append', [store, pos, epoch, sealed]);
    if (row?.follows !== true) throw new LostTail();
  }

  const whileHeld = <T>(epoch: number, work: () => Promise<T>): Promise<T> =>
    inTransaction(async () => {
      await runHeld('held', [epoch]);
      return work();
    });

  async function putPages(
    store: string,
    end: Pick<LogEnd, 'id' | 'pos'>,
    changed: PageCommit['changed'],
  ): Promise<void> {
    const all = [...changed];
    for (let at = 0; at < all.length; at += pagesAtOnce) {
      const some = all.slice(at, at + pagesAtOnce);
      const bodies = some.map(([page, bytes]) =>
        sealBytes(kek, packedPage(bytes), placeOfPage(store, end, page)),
      );
      await run('putPages', [store, end.pos, some.map(([page]) => page), bodies]);
    }
  }

  async function takePages(store: string, after: number, take: (part: PageCommit) => void): Promise<LogEnd> {
    const [folded] = await run('folded', [store]);
    if (folded === undefined) throw new Error('the log began anew while it was read');
    if (Number(folded.pos) <= after)
      throw new Error(`the database lacks what the store "${store}" committed after position ${after}`);
    const id = String(folded.log_id);
    const size = { pages: Number(folded.pages), pageBytes: Number(folded.page_bytes) };
    await refuseOtherSize(store, id, size);
    let count = 0;
    let last = [after, Number.MAX_SAFE_INTEGER];
    for (;;) {
      const rows = await run('pages', [store, ...last]);
      const changed = new Map<number, Buffer>();
      for (const row of rows) {
        last = [Number(row.pos), Number(row.page)];
        const [pos = 0, page = 0] = last;
        changed.set(page, unpackedPage(opened(row.body, placeOfPage(store, { id, pos }, page))));
      }
      take({ ...size, changed });
      count += rows.length;
      if (rows.length < pagesAtOnce) break;
    }
    if (after === 0 && count !== size.pages)
      throw new UnreadableEntry(`the database has ${count} of ${size.pages} pages of the store "${store}"`);
    return { id, pos: Number(folded.pos), epoch: Number(folded.epoch) };
  }

  return {
    get isLost() {
      return isLost;
    },
    async inspect() {
      await refuseUnfit(client);
      const [[isPrepared], [canPrepare]] = [await run('isPrepared'), await run('canPrepare')];
      return { isPrepared: isPrepared?.is === true, canPrepare: canPrepare?.is === true };
    },
    async prepare() {
      await refuseUnfit(client);
      if ((await run('isPrepared'))[0]?.is !== true) await client.query(schema);
    },
    async onMore(listener) {
      client.on('notification', listener);
      await client.query('LISTEN muster');
    },
    async append(store, pos, epoch, bodies) {
      const [first] = bodies;
      if (first === undefined) return;
      if (bodies.length === 1) await appendOne(store, pos, epoch, first);
      else
        await inTransaction(async () => {
          for (const [index, body] of bodies.entries()) await appendOne(store, pos + index, epoch, body);
        });
    },
    async beginAnew(store, epoch) {
      await whileHeld(epoch, () => run('removeLog', [store]));
      for (const table of ['removeEntries', 'removePages'] as const) {
        // One statement for a large store would take longer than a request may.
        while ((await whileHeld(epoch, () => run(table, [store]))).length > 0);
      }
    },
    putBase: (store, base, { changed }) => whileHeld(base.epoch, () => putPages(store, base, changed)),
    completeBase: (store, after, { id, pos, epoch }, { pages, pageBytes }) =>
      whileHeld(epoch, async () => {
        await run('addLog', [store, id, pos, pages, pageBytes]);
        if (after.epoch !== epoch) await run('beginTerm', [store, epoch, after.pos]);
        await run('tell');
      }),
    async completeLogs() {
      const rows = await run('logs');
      return new Map(
        rows.map(({ store, log_id, pos, epoch, folded, pages }) => [
          String(store),
          {
            id: String(log_id),
            pos: Number(pos),
            epoch: Number(epoch),
            folded: Number(folded),
            pages: Number(pages),
          },
        ]),
      );
    },
    holds: async (store, { pos, epoch }) => (await run('holds', [store, epoch, pos]))[0]?.is === true,
    async entriesAfter(store, after) {
      const rows = await run('entries', [store, after]);
      return rows.map(({ pos, epoch, body }) => ({
        pos: Number(pos),
        epoch: Number(epoch),
        body: opened(body, placeOf(store, Number(pos), Number(epoch))),
      }));
    },
    putFiles: (version, epoch, files) =>
      inTransaction(async () => {
        for (const { name, content } of files) {
          const marked = Buffer.concat([
            Buffer.of(content === null ? removedMark : thereMark),
            content ?? Buffer.alloc(0),
          ]);
          const body = sealBytes(kek, marked, filePlace(name, version, epoch));
          await runHeld('putFile', [name, version, epoch, body]);
        }
      }),
    async filesAfter(after) {
      const rows = await run('files', [after]);
      const files = rows.map(({ name, version, epoch, body }): LoggedFile => {
        const marked = opened(body, filePlace(String(name), Number(version), Number(epoch)));
        return { name: String(name), content: marked[0] === thereMark ? marked.subarray(1) : null };
      });
      return { version: Number(rows.at(-1)?.version ?? after), files };
    },
    pagesAfter: (store, after, take) =>
      // One state of the database, because a fold may change pages meanwhile.
      inTransaction(() => takePages(store, after, take), 'ISOLATION LEVEL REPEATABLE READ READ ONLY'),
    fold: (store, { id, from, pos, pages, fewestPages, changed }) =>
      inTransaction(async () => {
        if ((await run('moveFold', [store, id, from, pos, pages])).length === 0) return false;
        await run('cutPages', [store, fewestPages]);
        await putPages(store, { id, pos }, changed);
        await run('cutEntries', [store, pos]);
        return true;
      }),
    take: () =>
      inTransaction(async () => {
        const [lease] = await run('lease');
        await run('endFuture');
        const [beat] = await run('isFree');
        if (beat?.free !== true) return null;
        // Never one that a takeover had which the database lost.
        const epoch = Number(lease?.epoch) + randomInt(1, 2 ** 31);
        await run('takeLease', [epoch, name]);
        await run('takeBeat', [epoch]);
        await run('beginTerms', [epoch]);
        await run('forgetTerms');
        return epoch;
      }),
    async confirm(epoch) {
      if ((await run('confirm', [epoch])).length === 0) throw new Deposed();
    },
    release: async (epoch) => void (await run('release', [epoch])),
    end,
  };
}
