/** Older entries of the log become pages, with a real PostgreSQL (docs/decisions/0068-one-active-broker.md). */
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldOnce, keepFolded, keptEntries } from '../../broker/standby/fold.ts';
import { follow } from '../../broker/standby/follow.ts';
import { beginOf } from '../../broker/standby/kept-position.ts';
import { type PageCommit, packed } from '../../broker/standby/page-commit.ts';
import { connectPageLog, type PageLog, UnreadableEntry } from '../../broker/standby/page-log.ts';
import { openWal, type WalReader } from '../../broker/standby/wal-commits.ts';
import { copyFrom } from './items.ts';
import { postgresForTests } from './postgres.ts';

const kek = createSecretKey(randomBytes(32));
const postgres = postgresForTests();
const pageBytes = 4096;
let url: string;
let folder: string;
let client: pg.Client;
let log: PageLog;
let epoch: number;
/** A store whose commits are appended one by one. */
let db: Database.Database;
let file: string;
let wal: WalReader;
let last: number;

beforeEach(async () => {
  url = await postgres.createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'muster-fold-'));
  client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  log = await connectPageLog({ url, name: 'ada', kek });
  await log.prepare();
  epoch = (await log.take()) ?? 0;
  file = join(folder, 'test.db');
  db = new Database(file);
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  db.pragma('wal_autocheckpoint = 0');
  db.exec('CREATE TABLE text (id INTEGER PRIMARY KEY, body TEXT); CREATE INDEX by_body ON text (body)');
  await begin();
});
afterEach(async () => {
  wal.close();
  db.close();
  log.end();
  await client.end();
  rmSync(folder, { recursive: true });
});

/** The content of the store's file when SQLite's log is folded into it. */
function content(): Buffer {
  db.pragma('wal_checkpoint(TRUNCATE)');
  return readFileSync(file);
}

/** The log begins with the pages of the store. */
async function begin(): Promise<void> {
  const bytes = content();
  const pages = bytes.length / pageBytes;
  const changed = new Map(
    Array.from({ length: pages }, (_, n) => [n + 1, bytes.subarray(n * pageBytes, (n + 1) * pageBytes)]),
  );
  const end = { id: randomUUID(), pos: 1, epoch };
  await log.putBase('test', end, { pages, pageBytes, changed });
  await log.completeBase('test', beginOf(end.id), end, { pages, pageBytes });
  last = end.pos;
  wal = openWal(file);
}

async function append(commit: PageCommit | null): Promise<void> {
  if (commit === null) return;
  await log.append('test', last + 1, epoch, [packed(commit)]);
  last += 1;
}

function createAbort() {
  const control = new AbortController();
  return { signal: control.signal, abort: () => control.abort() };
}

const insert = (bytes: number) => db.prepare('INSERT INTO text (body) VALUES (?)').run('x'.repeat(bytes));
async function write(commits: number, bytes = 300): Promise<void> {
  const bodies = Array.from({ length: commits }, () => {
    insert(bytes);
    const commit = wal.next();
    if (commit === null) throw new Error('nothing was committed');
    return packed(commit);
  });
  await log.append('test', last + 1, epoch, bodies);
  last += commits;
}

/** The same numbers in each run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Grows and shrinks the store, and the size of the file with it. */
async function change(number: (below: number) => number): Promise<void> {
  db.exec('BEGIN IMMEDIATE');
  for (let n = number(10); n >= 0; n -= 1) insert(number(number(4) === 0 ? 20_000 : 200));
  if (number(4) === 0) db.prepare('DELETE FROM text WHERE id % ? = 0').run(1 + number(4));
  db.exec(number(5) === 0 ? 'ROLLBACK' : 'COMMIT');
  if (number(5) === 0) db.pragma(`incremental_vacuum(${number(200)})`);
  await append(wal.next());
  if (number(30) === 0) db.pragma('wal_checkpoint(PASSIVE)');
}

const foldAll = async (): Promise<void> => {
  while (await foldOnce(log, 'test'));
};
const folded = async () => (await log.completeLogs()).get('test')?.folded;
const entries = async () => Number((await client.query('SELECT count(*) FROM muster.entry')).rows[0].count);

function expectEqual(path: string): void {
  expect(readFileSync(path).equals(content())).toBe(true);
  const copy = new Database(path, { readonly: true });
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
  copy.close();
}

describe('a log that is folded', () => {
  it.each([1, 2])('gives each copy the same file, wherever it was before, round %i', async (seed) => {
    const number = numbersFrom(seed);
    const copies = new Map<string, number>([[join(folder, 'empty.db'), 0]]);
    for (let round = 0; round < 500; round += 1) {
      await change(number);
      if (number(50) === 0) {
        const path = join(folder, `copy-${round}.db`);
        if (copies.size > 1) copyFileSync([...copies.keys()].at(-1) ?? '', path);
        copies.set(path, await copyFrom(log, path, [...copies.values()].at(-1)));
      }
      if (number(100) === 0) await foldAll();
    }
    await foldAll();
    expect(copies.size).toBeGreaterThan(3);
    for (const [path, pos] of copies) {
      expect(await copyFrom(log, path, pos)).toBe(last);
      expectEqual(path);
    }
  });

  it('brings a machine that was away to its end, and to the lease', async () => {
    const number = numbersFrom(5);
    const path = join(folder, 'away.db');
    const { signal, abort } = createAbort();
    const stores = [{ store: 'test', file: path, schema: 1 }];
    const options = { url, name: 'bob', kek, stores, mayBegin: false, placeFiles: async () => undefined };
    await follow({ ...options, onFault: (fault) => fault === null && abort(), signal });
    const before = readFileSync(path).length;
    for (let round = 0; round < 400; round += 1) {
      await change(number);
      if (number(100) === 0) await foldAll();
    }
    db.exec('DELETE FROM text WHERE id % 3 > 0');
    db.pragma('incremental_vacuum');
    await append(wal.next());
    await write(2 * keptEntries);
    await foldAll();
    await client.query("UPDATE muster.beat SET seen = '-infinity'");
    const taken = await follow({ ...options, onFault: () => undefined, signal: createAbort().signal });
    expect(taken?.logs.test?.pos).toBe(last);
    expect(content().length).toBeGreaterThan(before);
    expectEqual(path);
  });

  it('keeps the newest entries, and nothing of what is older', async () => {
    await write(2 * keptEntries - 1);
    expect(await foldOnce(log, 'test')).toBe(false);
    await write(1);
    expect(await foldOnce(log, 'test')).toBe(true);
    expect(await foldOnce(log, 'test')).toBe(false);
    expect(await entries()).toBe(keptEntries);
    expect(await folded()).toBe(last - keptEntries);
    expect((await log.completeLogs()).get('test')?.pos).toBe(last);
  });

  it('has the pages of the store only', async () => {
    await write(200, 8000);
    await foldAll();
    const pages = async () => Number((await client.query('SELECT count(*) FROM muster.page')).rows[0].count);
    expect(await pages()).toBeGreaterThan(200);
    db.exec('DELETE FROM text');
    db.pragma('incremental_vacuum');
    await append(wal.next());
    await write(200, 1);
    await foldAll();
    expect(await pages()).toBeLessThan(20);
    expect(await pages()).toBe((await log.completeLogs()).get('test')?.pages);
  });

  it('has an empty page for one that the store gained without writing it', async () => {
    const before = (await log.completeLogs()).get('test')?.pages ?? 0;
    const size = (pages: number) => {
      const first = Buffer.from(content().subarray(0, pageBytes));
      first.writeUInt32BE(pages, 28);
      const changed = new Map([
        [1, first],
        [pages, randomBytes(pageBytes)],
      ]);
      return { pageBytes, pages, changed };
    };
    await append(size(before + 3));
    await append(size(before - 1));
    await append(size(before + 2));
    for (let n = 0; n < 2 * keptEntries; n += 1) await append(size(before + 2));
    await foldAll();
    const path = join(folder, 'copy.db');
    await copyFrom(log, path);
    const copy = readFileSync(path);
    expect(copy.length).toBe((before + 2) * pageBytes);
    // The page before the last one, and the one that was there before the store shrank.
    expect(
      copy.subarray((before - 1) * pageBytes, (before + 1) * pageBytes).every((byte) => byte === 0),
    ).toBe(true);
  });

  it('is folded in portions of bounded size', async () => {
    // 12 MB of pages per entry, because the index holds each text once more.
    for (let n = 0; n < 5; n += 1) await write(1, 6_000_000);
    await write(2 * keptEntries, 1);
    const positions: (number | undefined)[] = [await folded()];
    while (await foldOnce(log, 'test')) positions.push(await folded());
    expect(positions.slice(0, 3)).toEqual([1, 4, 106]);
    await copyFrom(log, join(folder, 'copy.db'));
    expectEqual(join(folder, 'copy.db'));
  });

  it('stays small while its store is written and copies join', async () => {
    const control = new AbortController();
    const faults: (string | null)[] = [];
    const folding = keepFolded({
      url,
      name: 'folder',
      kek,
      stores: ['test'],
      onFault: (reason) => faults.push(reason),
      signal: control.signal,
    });
    let isWriting = true;
    const other = await connectPageLog({ url, name: 'bob', kek });
    const joining = (async () => {
      let joined = 0;
      for (; isWriting; joined += 1) {
        const path = join(folder, `joined-${joined}.db`);
        const pos = await copyFrom(other, path).catch(() => null);
        if (pos !== null) await copyFrom(other, path, pos);
      }
      return joined;
    })();
    const number = numbersFrom(9);
    let most = 0;
    for (let round = 0; round < 1000; round += 1) {
      await change(number);
      if (round % 50 === 0) most = Math.max(most, await entries());
    }
    isWriting = false;
    expect(await joining).toBeGreaterThan(1);
    await expect.poll(entries).toBeLessThan(2 * keptEntries);
    control.abort();
    await folding;
    other.end();
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
    expect(most).toBeLessThan(900);
    await copyFrom(log, join(folder, 'copy.db'));
    expectEqual(join(folder, 'copy.db'));
  });
});

describe('a fold that breaks off', () => {
  it('changes nothing, and another broker does it', async () => {
    await write(2 * keptEntries);
    // It waits for this row after it wrote its pages.
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM muster.entry WHERE pos = 50 FOR UPDATE');
    const before = await folded();
    const folder2 = await connectPageLog({ url, name: 'folder', kek });
    const folding = foldOnce(folder2, 'test').catch(() => 'failed');
    const blocked =
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'muster folder' AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await client.query(blocked)).rows.length).toBe(1);
    await client.query(`SELECT pg_terminate_backend(pid) FROM (${blocked}) AS one`);
    expect(await folding).toBe('failed');
    await client.query('ROLLBACK');
    expect(await folded()).toBe(before);
    expect((await client.query('SELECT 1 FROM muster.page WHERE pos > 1')).rows).toEqual([]);
    await copyFrom(log, join(folder, 'copy.db'));
    expectEqual(join(folder, 'copy.db'));
    expect(await foldOnce(log, 'test')).toBe(true);
    folder2.end();
  });

  it('leaves the log whole when the database crashes again and again', async () => {
    await write(2 * keptEntries + 40, 3000);
    for (let crash = 0; crash < 3; crash += 1) {
      const folding = foldOnce(log, 'test').catch(() => 'failed');
      await postgres.crash();
      await folding;
      await postgres.start();
      log.end();
      log = await connectPageLog({ url, name: 'ada', kek });
      const path = join(folder, `copy-${crash}.db`);
      expect(await copyFrom(log, path)).toBe(last);
      expectEqual(path);
    }
  });

  it('is left to the broker that is faster', async () => {
    await write(6 * keptEntries);
    const other = await connectPageLog({ url, name: 'bob', kek });
    await Promise.all([foldOnce(log, 'test'), foldOnce(other, 'test')]);
    await Promise.all([foldOnce(log, 'test'), foldOnce(other, 'test')]);
    other.end();
    expect(await folded()).toBe(last - keptEntries);
    await copyFrom(log, join(folder, 'copy.db'));
    expectEqual(join(folder, 'copy.db'));
  });
});

describe('the pages of the log', () => {
  beforeEach(async () => {
    await write(2 * keptEntries, 3000);
    await foldAll();
  });

  it.each([
    ['was put in the place of another one', 'UPDATE muster.page SET page = page + 1000 WHERE page = 3'],
    [
      'has the content of another one',
      'UPDATE muster.page SET body = (SELECT body FROM muster.page WHERE page = 4) WHERE page = 3',
    ],
    ['is said to be newer', 'UPDATE muster.page SET pos = pos + 1 WHERE page = 3'],
    ['is missing', 'DELETE FROM muster.page WHERE page = 3'],
    ['is of another log', "UPDATE muster.fold SET log_id = 'another log'"],
  ])('are refused when one %s', async (_, statement) => {
    await client.query(statement);
    await expect(log.pagesAfter('test', 0, () => undefined)).rejects.toThrow(UnreadableEntry);
  });

  it.each(['pages = 1', 'pages = pages + 1', 'page_bytes = 512'])(
    'are not written into a copy when the database says %s',
    async (change) => {
      await client.query(`UPDATE muster.fold SET ${change}`);
      const written = expect.unreachable as () => void;
      await expect(log.pagesAfter('test', 1, written)).rejects.toThrow(UnreadableEntry);
    },
  );

  it('show the database no content', async () => {
    const { rows } = await client.query<{ body: Buffer }>('SELECT body FROM muster.page');
    expect(rows.some(({ body }) => body.includes('xxxxxxxx') || body.includes('SQLite'))).toBe(false);
  });

  it('are not what a copy needs that has more', async () => {
    await expect(log.pagesAfter('test', last, () => undefined)).rejects.toThrow(
      `the database lacks what the store "test" committed after position ${last}`,
    );
  });
});
