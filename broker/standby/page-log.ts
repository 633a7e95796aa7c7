/**
 * The lease of the active broker, and the log of what it commits, in PostgreSQL. Only the database's clock counts, and
 * it sees encrypted pages only (docs/decisions/0068-one-active-broker.md).
 */
import type { KeyObject } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { StartUpError } from '../runtime/start-up-error.ts';
import { openBytes, sealBytes } from '../security/sealed-pages.ts';

/** Another broker takes the lease when the active one has not confirmed it for this time. */
export const leaseMs = 3000;
const defaultRequestMs = 5000;
const connectMs = 2000;
const oldestServer = 150_000;
/** The limit of one read, unless its first entry is larger. */
const readBytes = 32 * 1024 * 1024;
const readEntries = 100;

/** Another broker holds the lease. Whoever gets this must not answer anybody anymore. */
export class Deposed extends Error {
  override readonly name = 'Deposed';
  constructor() {
    super('another broker holds the lease');
  }
}

/** An entry was sealed with another key, or is damaged. */
export class UnreadableEntry extends Error {
  override readonly name = 'UnreadableEntry';
}

export interface Entry {
  /** The position of the entry in the log of its store; the first one is 1. */
  pos: number;
  body: Buffer;
}

/** The log of one store. */
export interface LogEnd {
  /** Another one each time the log begins anew. */
  id: string;
  /** The last position. */
  pos: number;
}

/** A small file of the team; without content, it was removed. */
export interface LoggedFile {
  name: string;
  content: Buffer | null;
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
  /**
   * Creates the tables unless they are there. @throws StartUpError if the database is too old, or does not keep what
   * it has confirmed.
   */
  prepare(): Promise<void>;
  /** Calls `listener` when an entry was appended; calls may be missing. */
  onMore(listener: () => void): Promise<void>;
  /**
   * Appends bodies from position `pos` on, all of them or none. Resolves when the database has made them durable. A call
   * in doubt is simply repeated. @throws Deposed.
   */
  append(store: string, pos: number, epoch: number, bodies: readonly Uint8Array[]): Promise<void>;
  /** Removes what the log holds of a store, which its owner then appends anew from position 1 on. @throws Deposed. */
  beginAnew(store: string, epoch: number): Promise<void>;
  /** From now on, the log has everything of the store; `logId` is new. @throws Deposed. */
  completeBase(store: string, logId: string, epoch: number): Promise<void>;
  /** Returns the logs that have everything of their store. */
  completeLogs(): Promise<ReadonlyMap<string, LogEnd>>;
  /** Returns the next entries behind `pos`; none if there are no more. @throws UnreadableEntry. */
  entriesAfter(store: string, pos: number): Promise<Entry[]>;
  /** Keeps these files as version `version`, which is one above the last. @throws Deposed. */
  putFiles(version: number, epoch: number, files: readonly LoggedFile[]): Promise<void>;
  /** Returns the files that are newer than `version`, and the last version of all. @throws UnreadableEntry. */
  filesAfter(version: number): Promise<{ version: number; files: LoggedFile[] }>;
  /** Takes the lease if nobody confirmed it lately; returns its epoch, or null. */
  take(): Promise<number | null>;
  /** Confirms the lease. @throws Deposed. */
  confirm(epoch: number): Promise<void>;
  /** Gives the lease up, so that the next broker need not wait. */
  release(epoch: number): Promise<void>;
  end(): void;
}

/** Brokers that start together create the tables one after the other. */
const schema = `
SELECT pg_advisory_xact_lock(hashtext('muster'));
CREATE SCHEMA IF NOT EXISTS muster;
CREATE TABLE IF NOT EXISTS muster.lease (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL, holder text NOT NULL);
CREATE TABLE IF NOT EXISTS muster.beat (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL, seen timestamptz NOT NULL);
INSERT INTO muster.lease (epoch, holder) VALUES (0, '') ON CONFLICT DO NOTHING;
INSERT INTO muster.beat (epoch, seen) VALUES (0, '-infinity') ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS muster.entry (
  store text NOT NULL, pos bigint NOT NULL, epoch bigint NOT NULL, body bytea NOT NULL, PRIMARY KEY (store, pos));
ALTER TABLE muster.entry ALTER body SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS muster.file (
  name text PRIMARY KEY, version bigint NOT NULL, epoch bigint NOT NULL, body bytea NOT NULL);
CREATE TABLE IF NOT EXISTS muster.base (store text PRIMARY KEY, log_id text NOT NULL);
`;

/** Waits for a takeover that is under way; after it, no row has an older epoch. `epoch`: a parameter. */
const held = (epoch: string): string => `SELECT 1 FROM muster.lease WHERE epoch = ${epoch} FOR SHARE`;
const countHeld = '(SELECT count(*) FROM held) AS held';
const statements = {
  // The last table of the schema.
  isPrepared: "SELECT to_regclass('muster.base') IS NOT NULL AS is",
  append: `WITH held AS (${held('$3')}), added AS (
      INSERT INTO muster.entry SELECT $1, $2, $3, $4 FROM held ON CONFLICT DO NOTHING)
    SELECT ${countHeld}, pg_notify('muster', '')`,
  beginAnew: `WITH held AS (${held('$2')}),
      noBase AS (DELETE FROM muster.base WHERE store = $1 AND EXISTS (SELECT 1 FROM held)),
      noEntries AS (DELETE FROM muster.entry WHERE store = $1 AND EXISTS (SELECT 1 FROM held))
    SELECT ${countHeld}`,
  completeBase: `WITH held AS (${held('$3')}), added AS (
      INSERT INTO muster.base SELECT $1, $2 FROM held ON CONFLICT (store) DO UPDATE SET log_id = excluded.log_id)
    SELECT ${countHeld}, pg_notify('muster', '')`,
  logs: `SELECT store, log_id, coalesce((SELECT max(pos) FROM muster.entry WHERE entry.store = base.store), 0) AS pos
    FROM muster.base`,
  entries: `SELECT pos, epoch, body FROM (
      SELECT pos, epoch, body, sum(octet_length(body)) OVER (ORDER BY pos) - octet_length(body) AS before FROM (
        SELECT pos, epoch, body FROM muster.entry WHERE store = $1 AND pos > $2 ORDER BY pos LIMIT ${readEntries}) AS next
    ) AS summed WHERE before < ${readBytes} ORDER BY pos`,
  putFile: `WITH held AS (${held('$3')}), put AS (
      INSERT INTO muster.file SELECT $1, $2, $3, $4 FROM held
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, epoch = excluded.epoch, body = excluded.body)
    SELECT ${countHeld}, pg_notify('muster', '')`,
  files: 'SELECT name, version, epoch, body FROM muster.file WHERE version > $1 ORDER BY version, name',
  lease: 'SELECT epoch FROM muster.lease FOR UPDATE',
  // Locked, so that the active broker cannot confirm its lease between this and the takeover.
  isFree: `SELECT seen < clock_timestamp() - interval '${leaseMs} ms' AS free FROM muster.beat FOR UPDATE`,
  takeLease: 'UPDATE muster.lease SET epoch = $1, holder = $2',
  takeBeat: 'UPDATE muster.beat SET epoch = $1, seen = clock_timestamp()',
  confirm: 'UPDATE muster.beat SET seen = clock_timestamp() WHERE epoch = $1 RETURNING 1',
  release: "UPDATE muster.beat SET seen = '-infinity' WHERE epoch = $1",
};

const thereMark = 1;
const removedMark = 0;
const filePlace = (name: string, version: number, epoch: number): string =>
  `file:${name}:${version}:${epoch}`;
const placeOf = (store: string, pos: number, epoch: number): string => `${store}:${pos}:${epoch}`;

/** @throws Error if the database cannot be reached. */
export async function connectPageLog({
  url,
  name,
  kek,
  requestMs = defaultRequestMs,
}: PageLogOptions): Promise<PageLog> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: url,
    application_name: `muster ${name}`,
    stream: () => socket,
    connectionTimeoutMillis: connectMs,
    query_timeout: requestMs,
    statement_timeout: requestMs,
    keepAlive: true,
  });
  let isLost = false;
  const lose = () => {
    isLost = true;
  };
  client.on('error', lose).on('end', lose);
  // Its own end waits for the database, which may never answer.
  const end = () => {
    lose();
    socket.destroy();
  };
  try {
    await client.connect();
  } catch (error) {
    end();
    throw error;
  }

  type Row = Record<string, unknown>;
  const run = async (statement: keyof typeof statements, values: unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>({ name: statement, text: statements[statement], values })).rows;

  /** @throws what `work` throws; nothing is written then. */
  async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
    await client.query('BEGIN');
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
  async function runHeld(statement: keyof typeof statements, values: unknown[]): Promise<void> {
    const [row] = await run(statement, values);
    if (Number(row?.held) === 0) throw new Deposed();
  }

  function opened(body: unknown, place: string): Buffer {
    const content = openBytes(kek, body as Buffer, place);
    if (content !== null) return content;
    throw new UnreadableEntry(
      `the entry ${place} of the database was sealed with another key, or is damaged`,
    );
  }

  const appendOne = (store: string, pos: number, epoch: number, body: Uint8Array): Promise<void> =>
    runHeld('append', [store, pos, epoch, sealBytes(kek, body, placeOf(store, pos, epoch))]);

  return {
    get isLost() {
      return isLost;
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
    beginAnew: (store, epoch) => runHeld('beginAnew', [store, epoch]),
    completeBase: (store, logId, epoch) => runHeld('completeBase', [store, logId, epoch]),
    async completeLogs() {
      const rows = await run('logs');
      return new Map(
        rows.map(({ store, log_id, pos }) => [String(store), { id: String(log_id), pos: Number(pos) }]),
      );
    },
    async entriesAfter(store, after) {
      const rows = await run('entries', [store, after]);
      return rows.map(({ pos, epoch, body }) => ({
        pos: Number(pos),
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
    take: () =>
      inTransaction(async () => {
        const [lease] = await run('lease');
        const [beat] = await run('isFree');
        if (beat?.free !== true) return null;
        const epoch = Number(lease?.epoch) + 1;
        await run('takeLease', [epoch, name]);
        await run('takeBeat', [epoch]);
        return epoch;
      }),
    async confirm(epoch) {
      if ((await run('confirm', [epoch])).length === 0) throw new Deposed();
    },
    release: async (epoch) => void (await run('release', [epoch])),
    end,
  };
}

/** @throws StartUpError if the database must not be trusted with a log. */
async function refuseUnfit(client: pg.Client): Promise<void> {
  const setting = async (name: string): Promise<string> =>
    String(Object.values((await client.query<Record<string, unknown>>(`SHOW ${name}`)).rows[0] ?? {})[0]);
  if (Number(await setting('server_version_num')) < oldestServer)
    throw new StartUpError(
      `the database of SVC_STANDBY_URL is PostgreSQL ${await setting('server_version')}; version 15 or newer is needed`,
    );
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    const value = await setting(name);
    // A synchronous commit may also wait for other machines.
    if (value === 'off' || value === 'local')
      throw new StartUpError(
        `the database of SVC_STANDBY_URL has "${name} = ${value}" and can lose what it confirmed; set it to on`,
      );
  }
}
