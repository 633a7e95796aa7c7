/** The lease and the log of standbys, with a real PostgreSQL (docs/decisions/0068-one-active-broker.md). */
import { createSecretKey, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  connectPageLog,
  Deposed,
  LostTail,
  type PageLog,
  type PageLogOptions,
  UnreadableEntry,
} from '../../broker/standby/page-log.ts';
import { postgresForTests } from './postgres.ts';

const kek = createSecretKey(randomBytes(32));
const postgres = postgresForTests();
let url: string;
let client: pg.Client;
const opened: PageLog[] = [];

beforeEach(async () => {
  url = await postgres.createDatabase();
  client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
});
afterEach(async () => {
  for (const log of opened.splice(0)) log.end();
  await client.end();
});

async function connect(name: string, options: Partial<PageLogOptions> = {}): Promise<PageLog> {
  const log = await connectPageLog({ url, name, kek, ...options });
  opened.push(log);
  await log.prepare();
  return log;
}

/** Takes the lease, which must be free; returns its epoch. */
async function taken(log: PageLog): Promise<number> {
  const epoch = await log.take();
  if (epoch === null) throw new Error('the lease is not free');
  return epoch;
}

/** As if nobody had confirmed the lease for as long as a lease lasts. */
const lapse = () => client.query("UPDATE muster.beat SET seen = seen - interval '3.1 s'");
const bodies = async (log: PageLog, after = 0, store = 'main') =>
  (await log.entriesAfter(store, after)).map(({ pos, body }) => [pos, String(body)]);

describe('the lease', () => {
  it('is free at first, and then held until nobody confirms it for three seconds', async () => {
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    const epoch = await taken(ada);
    expect(await bob.take()).toBeNull();
    await client.query("UPDATE muster.beat SET seen = seen - interval '2.5 s'");
    expect(await bob.take()).toBeNull();
    await ada.confirm(epoch);
    await lapse();
    expect(await taken(bob)).toBeGreaterThan(epoch);
    await expect(ada.confirm(epoch)).rejects.toThrow(Deposed);
  });

  it('is free three seconds after its last confirmation also if that is in the future of the database', async () => {
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    await taken(ada);
    await client.query("UPDATE muster.beat SET seen = 'infinity'");
    expect(await bob.take()).toBeNull();
    await expect.poll(() => bob.take()).not.toBeNull();
  });

  it('is not given to a broker because it has the name of the holder', async () => {
    const [first, second] = [await connect('ada'), await connect('ada')];
    await taken(first);
    expect(await second.take()).toBeNull();
  });

  it('is free at once when its holder releases it', async () => {
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    const epoch = await taken(ada);
    await ada.release(epoch);
    const next = await taken(bob);
    // Only its own.
    await ada.release(epoch);
    await bob.confirm(next);
    expect(await (await connect('eve')).take()).toBeNull();
  });

  it('goes to one broker when many want it', async () => {
    const logs = await Promise.all(Array.from({ length: 8 }, (_, n) => connect(`broker-${n}`)));
    const epochs = await Promise.all(logs.map((log) => log.take()));
    expect(epochs.filter((epoch) => epoch !== null)).toHaveLength(1);
  });

  it('is never confirmed by its holder and taken by another one at once', async () => {
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    let epoch = await ada.take();
    for (let round = 0; round < 50; round += 1) {
      await lapse();
      const [confirmed, taken] = await Promise.allSettled([ada.confirm(epoch ?? 0), bob.take()]);
      const isTaken = taken.status === 'fulfilled' && taken.value !== null;
      expect([confirmed.status === 'fulfilled', isTaken]).toEqual([!isTaken, isTaken]);
      if (!isTaken) continue;
      await lapse();
      epoch = await ada.take();
    }
  });
});

describe('the log', () => {
  it('returns what was appended, in order, and nothing twice', async () => {
    const log = await connect('ada');
    const epoch = await taken(log);
    await log.append('main', 1, epoch, [Buffer.from('a')]);
    await log.append('activity', 1, epoch, [Buffer.from('other')]);
    await log.append('main', 2, epoch, [Buffer.from('b'), Buffer.from('c'), Buffer.from('d')]);
    // As after a lost answer.
    await log.append('main', 2, epoch, [Buffer.from('b'), Buffer.from('c'), Buffer.from('d')]);
    await log.append('main', 5, epoch, []);
    expect(await bodies(log)).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ]);
    expect(await bodies(log, 3)).toEqual([[4, 'd']]);
    expect(await bodies(log, 4)).toEqual([]);
  });

  it('takes no entry that does not follow another one', async () => {
    const log = await connect('ada');
    const epoch = await taken(log);
    await log.append('main', 1, epoch, [Buffer.from('a'), Buffer.from('b')]);
    await client.query('DELETE FROM muster.entry WHERE pos = 2');
    await expect(log.append('main', 3, epoch, [Buffer.from('c')])).rejects.toThrow(LostTail);
    await expect(log.append('main', 3, epoch, [Buffer.from('c'), Buffer.from('d')])).rejects.toThrow(
      LostTail,
    );
    expect(await bodies(log)).toEqual([[1, 'a']]);
  });

  it('takes nothing from a broker that another one replaced, not even a part', async () => {
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    const epoch = await taken(ada);
    await lapse();
    await bob.take();
    await expect(ada.append('main', 1, epoch, [Buffer.from('late')])).rejects.toThrow(Deposed);
    await expect(ada.append('main', 1, epoch, [Buffer.from('a'), Buffer.from('b')])).rejects.toThrow(Deposed);
    expect(await bodies(bob)).toEqual([]);
    // The connection is of use afterwards.
    expect(await ada.take()).toBeNull();
  });

  it('makes a takeover wait for an append that is under way, so that its reader misses none', async () => {
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    const epoch = await taken(ada);
    await lapse();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    // An append that holds its lock.
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM muster.lease WHERE epoch = $1 FOR SHARE', [epoch]);
    let isTaken = false;
    const takeover = bob.take().then((next) => {
      isTaken = true;
      return next;
    });
    await vi.waitUntil(
      async () => (await client.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0,
    );
    expect(isTaken).toBe(false);
    await other.query('COMMIT');
    expect(await takeover).toBeGreaterThan(epoch);
    await other.end();
  });

  it('shows the database no content', async () => {
    const log = await connect('ada');
    const epoch = await taken(log);
    await log.append('main', 1, epoch, [Buffer.from('the password of the king')]);
    const { rows } = await client.query('SELECT body FROM muster.entry');
    expect(rows).toHaveLength(1);
    expect(rows[0].body.includes('password')).toBe(false);
  });

  it.each([
    ['was moved to another place', 'UPDATE muster.entry SET pos = 2'],
    ['was damaged', 'UPDATE muster.entry SET body = set_byte(body, 20, get_byte(body, 20) # 1)'],
  ])('refuses an entry that %s', async (_, change) => {
    const log = await connect('ada');
    const epoch = await taken(log);
    await log.append('main', 1, epoch, [Buffer.from('a')]);
    await client.query(change);
    await expect(log.entriesAfter('main', 0)).rejects.toThrow(UnreadableEntry);
  });

  it('reads no entry and no file that is larger than any that a broker writes', async () => {
    const log = await connect('ada');
    const epoch = await taken(log);
    const large = Buffer.alloc(18 * 1024 * 1024);
    await log.append('main', 1, epoch, [large]);
    await log.putFiles(1, epoch, [{ name: 'svc.json', content: large }]);
    await expect(log.entriesAfter('main', 0)).rejects.toThrow(UnreadableEntry);
    await expect(log.filesAfter(0)).rejects.toThrow(UnreadableEntry);
  });

  it('refuses an entry that was sealed with the key of another team', async () => {
    const log = await connect('ada');
    const epoch = await taken(log);
    await log.append('main', 1, epoch, [Buffer.from('a')]);
    const stranger = await connect('eve', { kek: createSecretKey(randomBytes(32)) });
    await expect(stranger.entriesAfter('main', 0)).rejects.toThrow('sealed with another key');
  });

  it('is read in parts of bounded size', async () => {
    const log = await connect('ada');
    const epoch = await taken(log);
    const large = randomBytes(12 * 1024 * 1024);
    for (let pos = 1; pos <= 5; pos += 1) await log.append('main', pos, epoch, [large]);
    const read = await log.entriesAfter('main', 0);
    expect(read.map(({ pos }) => pos)).toEqual([1, 2, 3]);
    expect(read[0]?.body.equals(large)).toBe(true);
  });

  it('tells others that there is more', async () => {
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    const epoch = await taken(ada);
    const more = new Promise<void>((resolve) => void bob.onMore(resolve));
    await expect
      .poll(async () => {
        await ada.append('main', 1, epoch, [Buffer.from('a')]);
        return Promise.race([more.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);
      })
      .toBe(true);
  });
});

describe('the database', () => {
  it('that crashes keeps what it confirmed, and the connection is known as lost', async () => {
    const log = await connect('ada');
    const epoch = await taken(log);
    await log.append('main', 1, epoch, [Buffer.from('a')]);
    await postgres.crash();
    await expect.poll(() => log.isLost).toBe(true);
    await expect(connectPageLog({ url, name: 'ada', kek })).rejects.toThrow();
    await postgres.start();
    const again = await connect('ada');
    expect(await bodies(again)).toEqual([[1, 'a']]);
    await again.append('main', 2, epoch, [Buffer.from('b')]);
  });

  it('that does not keep what it confirmed is refused', async () => {
    await postgres.crash();
    await postgres.start('fsync=off');
    const log = await connectPageLog({ url, name: 'ada', kek });
    opened.push(log);
    await expect(log.prepare()).rejects.toThrow('has "fsync = off" and can lose what it confirmed');
    await postgres.crash();
    await postgres.start();
  });

  it.each(['off', 'local'])('that confirms before it has written (%s) is refused', async (value) => {
    await client.query(`ALTER ROLE muster SET synchronous_commit = ${value}`);
    const log = await connectPageLog({ url, name: 'ada', kek });
    opened.push(log);
    await expect(log.prepare()).rejects.toThrow(`has "synchronous_commit = ${value}"`);
    await client.query('ALTER ROLE muster RESET synchronous_commit');
  });
});
