/** A broker that stands by and takes over, with a real PostgreSQL and real stores (docs/decisions/0068-one-active-broker.md). */
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FollowOptions, follow, type Taken } from '../../broker/standby/follow.ts';
import { connectPageLog, type PageLog } from '../../broker/standby/page-log.ts';
import { openStore, type Store } from '../../broker/storage/store-host.ts';
import { keptLog, testThread } from '../../broker/storage/testing/test-store.ts';
import type { TestUnits } from '../../broker/storage/testing/test-store-thread.ts';
import { namesIn } from './items.ts';
import { postgresForTests } from './postgres.ts';

const kek = createSecretKey(randomBytes(32));
const postgres = postgresForTests();
let url: string;
let folder: string;
let client: pg.Client;
let log: PageLog;

interface Machine {
  file: string;
  faults: (string | null)[];
  /** The log lines of its broker. */
  lines: () => Record<string, unknown>[];
  follow(options?: Partial<FollowOptions>): Promise<Taken | null>;
  /** Tells it to stop following. */
  stop(): void;
  serve(taken: Taken | null): Promise<Store<TestUnits>>;
}

function createMachine(name: string): Machine {
  const place = join(folder, name);
  mkdirSync(place);
  const file = join(place, 'test.db');
  const faults: (string | null)[] = [];
  const { log, lines } = keptLog();
  let control = new AbortController();
  return {
    file,
    faults,
    lines,
    follow(options = {}) {
      control = new AbortController();
      return follow({
        url,
        name,
        kek,
        stores: [{ store: 'test', file, schema: 1 }],
        mayBegin: false,
        placeFiles: async () => undefined,
        onFault: (reason) => faults.push(reason),
        signal: control.signal,
        ...options,
      });
    },
    stop: () => control.abort(),
    async serve(taken) {
      if (taken === null) throw new Error('it has no lease');
      await hold();
      const ship = {
        url,
        name,
        kek,
        epoch: taken.epoch,
        log: taken.logs.test ?? null,
        onLost: () => undefined,
        onWrite: () => undefined,
        onUntaken: () => undefined,
      };
      return openStore<TestUnits>({
        store: 'test',
        file,
        threadModule: testThread,
        ship,
        log,
      });
    },
  };
}

/** Nothing confirms the lease here, and a test may take long. */
const hold = () =>
  client.query(`CREATE OR REPLACE FUNCTION muster.hold() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN NEW.seen = 'infinity'; RETURN NEW; END $$;
    CREATE OR REPLACE TRIGGER hold BEFORE UPDATE ON muster.beat FOR EACH ROW EXECUTE FUNCTION muster.hold();
    UPDATE muster.beat SET seen = clock_timestamp()`);
const lapse = () =>
  client.query("DROP TRIGGER IF EXISTS hold ON muster.beat; UPDATE muster.beat SET seen = '-infinity'");

beforeEach(async () => {
  url = await postgres.createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'muster-follow-'));
  client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  log = await connectPageLog({ url, name: 'test', kek });
  await log.prepare();
});
afterEach(async () => {
  log.end();
  await client.end();
  rmSync(folder, { recursive: true });
});

describe('a machine that stands by', () => {
  it('has everything that was acknowledged when it takes over, in both directions', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    let active = await ada.serve(await ada.follow({ mayBegin: true }));
    const standing = bob.follow();
    for (let n = 0; n < 50; n += 1) await active.units.add({ name: `item ${n}`, bulk: 20_000 });
    await active.close();
    await lapse();
    active = await bob.serve(await standing);
    expect(await active.units.names()).toHaveLength(50);
    await active.units.add({ name: 'of bob' });
    const back = ada.follow();
    await active.units.add({ name: 'and more' });
    await active.close();
    await lapse();
    active = await ada.serve(await back);
    expect((await active.units.names()).slice(-2)).toEqual(['of bob', 'and more']);
    await active.close();
    expect(namesIn(ada.file)).toHaveLength(52);
  });

  it('joins an active one that had a store before, however large', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    const alone = await openStore<TestUnits>({
      store: 'test',
      file: ada.file,
      threadModule: testThread,
      log: keptLog().log,
    });
    for (let n = 0; n < 40; n += 1) await alone.units.add({ name: `item ${n}`, bulk: 1_000_000 });
    await alone.close();
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    const standing = bob.follow();
    await active.units.add({ name: 'last' });
    await active.close();
    await lapse();
    await standing;
    expect(namesIn(bob.file)).toHaveLength(41);
    expect(readFileSync(bob.file).equals(readFileSync(ada.file))).toBe(true);
  });

  it('writes everything anew when it was killed while it wrote', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    await active.units.add({ name: 'a', bulk: 100_000 });
    const standing = bob.follow();
    await expect.poll(() => bob.faults.at(-1)).toBe(null);
    bob.stop();
    expect(await standing).toBeNull();
    // A page that it wrote in part.
    const bytes = readFileSync(bob.file);
    bytes.fill(7, 4096, 6000);
    writeFileSync(bob.file, bytes);
    const again = bob.follow();
    await active.close();
    await lapse();
    await again;
    expect(namesIn(bob.file)).toEqual(['a']);
  });

  it('goes on when the database comes back, and says meanwhile that it does not follow', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    const standing = bob.follow();
    await expect.poll(() => bob.faults.at(-1)).toBe(null);
    await postgres.crash();
    await expect.poll(() => bob.faults.at(-1)).toEqual(expect.any(String));
    await postgres.start();
    // A database that has just recovered may be slow.
    await expect.poll(() => bob.faults.at(-1), { timeout: 60_000 }).toBe(null);
    await active.units.add({ name: 'afterwards' });
    await active.close();
    await client.end();
    client = new pg.Client({ connectionString: url });
    await client.connect();
    await lapse();
    await standing;
    expect(namesIn(bob.file)).toEqual(['afterwards']);
  });
});

describe('the lease is not taken', () => {
  it('without a database of this name, and the machine says what to do', async () => {
    const ada = createMachine('ada');
    const standing = ada.follow({ url: url.replace(/\/[^/?]+(?=\?|$)/, '/nothing') });
    await expect.poll(() => ada.faults).toContain('the server has no database of this name; create it first');
    ada.stop();
    expect(await standing).toBeNull();
  });

  it('from an empty database by a machine without a team', async () => {
    const bob = createMachine('bob');
    const standing = bob.follow();
    await expect.poll(() => bob.faults.at(-1)).toBe('the database does not have the whole team yet');
    bob.stop();
    expect(await standing).toBeNull();
    expect(await log.take()).not.toBeNull();
  });

  it('while the first machine has shipped only a part of its team', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    await active.units.add({ name: 'a' });
    await active.close();
    await client.query('DELETE FROM muster.fold');
    await lapse();
    const standing = bob.follow();
    await expect.poll(() => bob.faults.at(-1)).toBe('the database does not have the whole team yet');
    bob.stop();
    await standing;
    // The first one ships it again.
    const again = await ada.serve(await ada.follow({ mayBegin: true }));
    expect(await again.units.names()).toEqual(['a']);
    await again.close();
    await lapse();
    await bob.follow();
    expect(namesIn(bob.file)).toEqual(['a']);
  });

  it('by a machine that has another team in its place, whose store stays as it is', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    const other = await openStore<TestUnits>({
      store: 'test',
      file: bob.file,
      threadModule: testThread,
      log: keptLog().log,
    });
    await other.units.add({ name: 'of another team' });
    await other.close();
    await expect(bob.follow({ mayBegin: true })).rejects.toThrow(
      'would be overwritten; move it and its -wal file',
    );
    expect(namesIn(bob.file)).toEqual(['of another team']);
    await active.close();
  });

  it('by an older version than the one that wrote the stores, and it is free for others', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    await active.units.add({ name: 'a' });
    await active.close();
    await lapse();
    const standing = bob.follow({ stores: [{ store: 'test', file: bob.file, schema: 0 }] });
    await expect.poll(() => bob.faults.at(-1)).toContain('update Muster on this machine');
    bob.stop();
    expect(await standing).toBeNull();
    expect(namesIn(bob.file)).toEqual(['a']);
    expect(await log.take()).not.toBeNull();
  });

  it('by an older version when a newer one was active just before, and it is free for others', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    let isOver = false;
    const standing = bob.follow({
      mayBegin: true,
      stores: [{ store: 'test', file: bob.file, schema: 0 }],
      // The last step before it asks for the lease.
      async placeFiles() {
        if (isOver) return;
        isOver = true;
        const active = await ada.serve(await ada.follow({ mayBegin: true }));
        await active.units.add({ name: 'a' });
        await active.close();
        await lapse();
      },
    });
    await expect.poll(() => bob.faults.at(-1)).toContain('update Muster on this machine');
    bob.stop();
    expect(await standing).toBeNull();
    expect(namesIn(bob.file)).toEqual(['a']);
    expect(await log.take()).not.toBeNull();
  });

  it('while another process uses the store', async () => {
    const ada = createMachine('ada');
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    await expect(ada.follow()).rejects.toThrow('is in use by another broker');
    await active.close();
  });
});

describe('a database that lost what it had confirmed', () => {
  const lost = () => expect.objectContaining({ msg: expect.stringContaining('lost what it had confirmed') });
  /** As a failover to a machine that did not have the newest entries yet. */
  const loseEntries = (count: number) =>
    client.query('DELETE FROM muster.entry WHERE pos > (SELECT max(pos) FROM muster.entry) - $1::int', [
      count,
    ]);

  it('gets everything anew from the active broker, and so do the others', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    const standing = bob.follow();
    for (const name of ['a', 'b', 'c']) await active.units.add({ name });
    await loseEntries(2);
    await active.units.add({ name: 'd' });
    expect(ada.lines()).toEqual([lost()]);
    const joined = createMachine('carol');
    const joining = joined.follow();
    await active.units.add({ name: 'e' });
    await active.close();
    await expect.poll(() => joined.faults.at(-1)).toBe(null);
    joined.stop();
    await joining;
    await lapse();
    await standing;
    for (const { file } of [ada, bob, joined]) {
      expect(namesIn(file)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(readFileSync(file).equals(readFileSync(ada.file))).toBe(true);
    }
  });

  it('is noticed by an active broker that does not write', async () => {
    const ada = createMachine('ada');
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    for (const name of ['a', 'b']) await active.units.add({ name });
    await loseEntries(1);
    await expect.poll(ada.lines).toEqual([lost()]);
    await expect.poll(async () => (await log.completeLogs()).get('test')?.pos).toBe(4);
    await active.units.add({ name: 'c' });
    await active.close();
    expect(ada.lines()).toHaveLength(1);
  });

  it('gets everything from a machine that stands by, if there is no active broker anymore', async () => {
    const [ada, bob, carol] = [createMachine('ada'), createMachine('bob'), createMachine('carol')];
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    for (const name of ['a', 'b']) await active.units.add({ name });
    const standing = bob.follow();
    await expect.poll(() => bob.faults.at(-1)).toBe(null);
    await active.close();
    await loseEntries(1);
    await expect.poll(() => bob.faults.at(-1)).toContain('this machine has more than it');
    await lapse();
    const next = await bob.serve(await standing);
    expect(bob.lines()).toEqual([lost()]);
    expect(await next.units.names()).toEqual(['a', 'b']);
    await next.units.add({ name: 'c' });
    const others = [ada.follow(), carol.follow()];
    await next.close();
    for (const machine of [ada, carol]) await expect.poll(() => machine.faults.at(-1)).toBe(null);
    ada.stop();
    carol.stop();
    await Promise.all(others);
    for (const { file } of [ada, carol]) expect(namesIn(file)).toEqual(['a', 'b', 'c']);
  });

  it('and that another broker then wrote on is not followed by a machine that has more', async () => {
    const [ada, bob] = [createMachine('ada'), createMachine('bob')];
    const active = await ada.serve(await ada.follow({ mayBegin: true }));
    await active.units.add({ name: 'a' });
    const standing = bob.follow();
    await expect.poll(() => bob.faults.at(-1)).toBe(null);
    bob.stop();
    await standing;
    for (const name of ['b', 'c']) await active.units.add({ name });
    await active.close();
    await loseEntries(2);
    await lapse();
    const next = await bob.serve(await bob.follow());
    for (const name of ['x', 'y', 'z']) await next.units.add({ name });
    await next.close();
    await lapse();
    await expect(ada.follow({ mayBegin: true })).rejects.toThrow('another broker went on without it');
    expect(namesIn(ada.file)).toEqual(['a', 'b', 'c']);
  });
});
