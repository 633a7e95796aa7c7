/** A writer whose commits are in the log of the standbys before anybody is answered (docs/decisions/0068-one-active-broker.md). */
import { createSecretKey, randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginOf, keptPosition } from '../../broker/standby/kept-position.ts';
import { connectPageLog, type PageLog } from '../../broker/standby/page-log.ts';
import { openStore, type Store } from '../../broker/storage/store-host.ts';
import { keptLog, testThread } from '../../broker/storage/testing/test-store.ts';
import type { TestUnits } from '../../broker/storage/testing/test-store-thread.ts';
import { createSmallDisk } from '../soak/small-disk.ts';
import { copyFrom, namesIn } from './items.ts';
import { postgresForTests } from './postgres.ts';

const kek = createSecretKey(randomBytes(32));
const postgres = postgresForTests();
let url: string;
let folder: string;
let file: string;
let log: PageLog;
let epoch: number;
let lost: string[];
let written: boolean[];
let stores: Store<TestUnits>[];

beforeEach(async () => {
  url = await postgres.createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'muster-ship-'));
  file = join(folder, 'test.db');
  log = await connectPageLog({ url, name: 'ada', kek });
  await log.prepare();
  epoch = (await log.take()) ?? 0;
  lost = [];
  written = [];
  stores = [];
});
afterEach(async () => {
  // Without it, a store waits for its last turn.
  await postgres.start();
  await Promise.all(stores.map((store) => store.close()));
  log.end();
  rmSync(folder, { recursive: true });
});

/** As the broker that has the lease. */
async function open(): Promise<Store<TestUnits>> {
  const end = (await log.completeLogs()).get('test') ?? null;
  const onLost = (reason: string) => void lost.push(reason);
  const onWrite = (isTaken: boolean) => void written.push(isTaken);
  const onUntaken = () => undefined;
  const ship = { url, name: 'ada', kek, epoch, log: end, onLost, onWrite, onUntaken };
  const store = await openStore<TestUnits>({
    store: 'test',
    file,
    threadModule: testThread,
    ship,
    log: keptLog().log,
  });
  stores.push(store);
  return store;
}

/** The position of the file in the log. */
async function kept(): Promise<number | null> {
  const end = (await log.completeLogs()).get('test');
  return end === undefined ? null : (keptPosition(file, end.id)?.pos ?? null);
}

async function reconnect(): Promise<void> {
  log.end();
  log = await connectPageLog({ url, name: 'ada', kek });
}

const copyTo = (path: string, from?: number): Promise<number> => copyFrom(log, path, from);

/** Another broker takes the lease, as after a long pause of this one. */
async function depose(): Promise<void> {
  await log.release(epoch);
  expect(await log.take()).toBeGreaterThan(epoch);
}

describe('a copy that is made of the log', () => {
  const copy = () => join(folder, 'copy.db');

  it('has the tables before anybody writes, and each commit when its caller is answered', async () => {
    const { units } = await open();
    await copyTo(copy());
    expect(namesIn(copy())).toEqual([]);
    for (const name of ['a', 'b', 'c']) {
      await units.add({ name });
      rmSync(copy());
      await copyTo(copy());
      expect(namesIn(copy()).at(-1)).toBe(name);
    }
  });

  it('is equal to the file of the store after many turns, refused units, and a clean end', async () => {
    const store = await open();
    const adding = Array.from({ length: 600 }, (_, n) => [
      store.units.add({ name: `item ${n}`, bulk: n % 7 === 0 ? 100_000 : 10 }),
      ...(n % 5 === 0 ? [store.units.addThenBreak({ name: `broken ${n}` })] : []),
    ]).flat();
    await Promise.allSettled(adding);
    await store.close();
    const pos = await copyTo(copy());
    expect(await kept()).toBe(pos);
    expect(readFileSync(copy()).equals(readFileSync(file))).toBe(true);
    expect(namesIn(copy())).toHaveLength(600);
  });

  it('gets a commit that is larger than an entry as several entries', async () => {
    const store = await open();
    const before = await copyTo(copy());
    await store.units.add({ name: 'large', bulk: 40 * 1024 * 1024 });
    expect(await copyTo(copy(), before)).toBe(before + 3);
    await store.close();
    expect(readFileSync(copy()).equals(readFileSync(file))).toBe(true);
  });

  it('goes on where the store went on', async () => {
    const first = await open();
    await first.units.add({ name: 'before' });
    await first.close();
    const pos = await copyTo(copy());
    const second = await open();
    await second.units.add({ name: 'after' });
    await copyTo(copy(), pos);
    expect(namesIn(copy())).toEqual(['before', 'after']);
  });
});

describe('a store on a full disk', () => {
  const mb = 1024 * 1024;

  it('goes on when its file cannot take what its log has, and says which writes are taken', async (context) => {
    const disk = await createSmallDisk('20m', mkdtempSync(join(tmpdir(), 'muster-disk-')));
    if (disk.fault !== null) context.skip(disk.fault);
    try {
      file = join(disk.folder, 'test.db');
      const store = await open();
      // The second one makes SQLite's log so large that it is to be folded into the file, for which there is no space.
      await store.units.add({ name: 'first', bulk: 15 * mb });
      await store.units.add({ name: 'second', bulk: 2 * mb });
      await expect(store.units.add({ name: 'third', bulk: 8 * mb })).rejects.toMatchObject({
        reason: 'storage_failed',
      });
      expect(lost).toEqual([]);
      expect(written).toEqual([true, true, false]);
      await copyTo(join(folder, 'copy.db'));
      expect(namesIn(join(folder, 'copy.db'))).toEqual(['first', 'second']);
      await store.close();
    } finally {
      await disk.remove();
    }
  });
});

describe('a store that was there before', () => {
  it('is in the log as a whole, with what only the log of SQLite held', async () => {
    const before = await openStore<TestUnits>({
      store: 'test',
      file,
      threadModule: testThread,
      log: keptLog().log,
    });
    for (let n = 0; n < 300; n += 1) void before.units.add({ name: `item ${n}`, bulk: 100_000 });
    await before.units.names();
    await before.close();
    const other = new Database(file);
    other.prepare("INSERT INTO item (name) VALUES ('last')").run();
    const store = await open();
    other.close();
    const end = (await log.completeLogs()).get('test');
    expect(end).toMatchObject({ pos: 1, folded: 1 });
    await store.units.add({ name: 'after' });
    await store.close();
    await copyTo(join(folder, 'copy.db'));
    expect(namesIn(join(folder, 'copy.db')).slice(-2)).toEqual(['last', 'after']);
    expect(readFileSync(join(folder, 'copy.db')).equals(readFileSync(file))).toBe(true);
  });
});

describe('while the database is down', () => {
  it('nobody is answered, and nothing that is not in the log is read; afterwards, everybody is', async () => {
    const store = await open();
    const { units } = store;
    await units.add({ name: 'a' });
    await postgres.crash();
    const settled: string[] = [];
    const adding = units.add({ name: 'b' }).then((id) => settled.push(`added ${id}`));
    // Until the commit is in the file of the writer, which the reader sees.
    const reader = new Database(file, { readonly: true });
    await expect.poll(() => reader.prepare('SELECT count(*) FROM item').pluck().get()).toBe(2);
    reader.close();
    const reading = units.names().then((names) => settled.push(`read ${names.join()}`));
    // The reader has answered.
    await expect.poll(() => store.pending).toBe(1);
    await new Promise(setImmediate);
    expect(settled).toEqual([]);
    await postgres.start();
    await Promise.all([adding, reading]);
    expect(settled.toSorted()).toEqual(['added 2', 'read a,b']);
    await reconnect();
    await copyTo(join(folder, 'copy.db'));
    expect(namesIn(join(folder, 'copy.db'))).toEqual(['a', 'b']);
  });
});

describe('a store that is closed while the database is down', () => {
  it('ends, and does not claim that its last commit is in the log', async () => {
    const store = await open();
    await store.units.add({ name: 'a' });
    await store.close();
    const again = await open();
    await postgres.crash();
    const adding = expect(again.units.add({ name: 'b' })).rejects.toMatchObject({ code: 'unavailable' });
    const begunAt = performance.now();
    await again.close();
    await adding;
    // 5 s, and what a request or a connection may still take.
    expect(performance.now() - begunAt).toBeLessThan(15_000);
    expect(lost).toEqual([]);
    expect(namesIn(file)).toEqual(['a', 'b']);
    await postgres.start();
    await reconnect();
    expect(await kept()).toBe(0);
    await copyTo(join(folder, 'copy.db'));
    expect(namesIn(join(folder, 'copy.db'))).toEqual(['a']);
  });

  it('keeps its position if it wrote nothing', async () => {
    const store = await open();
    await store.units.add({ name: 'a' });
    await postgres.crash();
    await store.close();
    await postgres.start();
    await reconnect();
    expect(await kept()).toBe((await log.completeLogs()).get('test')?.pos);
  });
});

describe('a broker that another one replaced', () => {
  it('answers nobody anymore, and its last commit is in no copy', async () => {
    const { units } = await open();
    await units.add({ name: 'a' });
    await depose();
    await expect(units.add({ name: 'late' })).rejects.toMatchObject({ code: 'unavailable' });
    expect(lost).toEqual(['another broker holds the lease']);
    await expect(units.names()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(units.add({ name: 'later' })).rejects.toMatchObject({ code: 'unavailable' });
    await copyTo(join(folder, 'copy.db'));
    expect(namesIn(join(folder, 'copy.db'))).toEqual(['a']);
  });

  it('does not trust its own file afterwards, because its last commit may be in it', async () => {
    const first = await open();
    await first.units.add({ name: 'a' });
    await first.close();
    const pos = await copyTo(join(folder, 'copy.db'));
    expect(await kept()).toBe(pos);
    const second = await open();
    await depose();
    await expect(second.units.add({ name: 'late' })).rejects.toMatchObject({ code: 'unavailable' });
    await second.close();
    // Another program opens the store, and folds SQLite's log into its file when it closes it.
    const other = new Database(file);
    other.prepare('SELECT count(*) FROM item').get();
    other.close();
    expect(await kept()).toBe(0);
    // From the start, everything is written anew.
    await copyTo(file);
    expect(namesIn(file)).toEqual(['a']);
    expect(readFileSync(file).equals(readFileSync(join(folder, 'copy.db')))).toBe(true);
  });

  it('does not open its store', async () => {
    await depose();
    await expect(open()).rejects.toThrow('another broker holds the lease');
  });
});

describe('the kept position', () => {
  it.each([
    [
      '0 when another program replaced the file',
      0,
      () => {
        copyFileSync(file, `${file}.other`);
        renameSync(`${file}.other`, file);
      },
    ],
    ['none when it is missing', null, () => rmSync(`${file}.pos`)],
    ['none when it is unreadable', null, () => writeFileSync(`${file}.pos`, 'x')],
    [
      'none when the log began anew',
      null,
      async () => {
        await log.beginAnew('test', epoch);
        const id = 'another log';
        await log.completeBase('test', beginOf(id), { id, pos: 1, epoch }, { pages: 0, pageBytes: 4096 });
      },
    ],
  ])('is %s', async (_, expected, change) => {
    const store = await open();
    await store.units.add({ name: 'a' });
    await store.close();
    expect(await kept()).toBeGreaterThan(0);
    await change();
    expect(await kept()).toBe(expected);
  });
});
