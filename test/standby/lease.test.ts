/** An active broker whose connection to the database is cut (docs/decisions/0068-one-active-broker.md). */
import { createSecretKey, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepLease, type Lease, momentNow } from '../../broker/standby/lease.ts';
import { connectPageLog, type PageLog } from '../../broker/standby/page-log.ts';
import { leaseMs } from '../../broker/standby/page-log-statements.ts';
import { type DatabaseLine, openLine } from './database-line.ts';
import { postgresForTests } from './postgres.ts';

const kek = createSecretKey(randomBytes(32));
const postgres = postgresForTests();
let url: string;
let other: PageLog;
let line: DatabaseLine;

beforeEach(async () => {
  url = await postgres.createDatabase();
  line = await openLine(url);
  other = await connectPageLog({ url, name: 'bob', kek });
  await other.prepare();
});
afterEach(() => {
  other.end();
  line.close();
});

let deposed = 0;
async function takeAndKeep(): Promise<Lease> {
  deposed = 0;
  const log = await connectPageLog({ url: line.url, name: 'ada', kek });
  const takenAt = momentNow();
  const epoch = await log.take();
  log.end();
  if (epoch === null) throw new Error('the lease is not free');
  const onDeposed = () => {
    deposed += 1;
  };
  return keepLease({ url: line.url, name: 'ada', kek, epoch, takenAt, onDeposed });
}

it('lasts for as long as its holder confirms it, and is free when it is given up', async () => {
  const lease = await takeAndKeep();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const seen = async () => Number((await client.query('SELECT seen FROM muster.beat')).rows[0].seen);
  const first = await seen();
  await expect.poll(seen, { timeout: 30_000 }).toBeGreaterThan(first + 1.5 * leaseMs);
  await client.end();
  expect(await other.take()).toBeNull();
  await lease.release();
  expect(lease.isReliable).toBe(false);
  expect(await other.take()).not.toBeNull();
});

it('is not relied upon anymore when another broker gets it, and its former holder is told when it can be', async () => {
  const lease = await takeAndKeep();
  await expect.poll(() => lease.isReliable).toBe(true);
  line.cut();
  await expect.poll(() => other.take(), { timeout: 30_000 }).not.toBeNull();
  expect(lease.isReliable).toBe(false);
  expect(deposed).toBe(0);
  line.mend();
  await expect.poll(() => deposed, { timeout: 10_000 }).toBe(1);
  expect(lease.isReliable).toBe(false);
});

it('is relied upon again when the database was away and nobody took it', async () => {
  const lease = await takeAndKeep();
  line.cut();
  await expect.poll(() => lease.isReliable, { timeout: 10_000 }).toBe(false);
  line.mend();
  await expect.poll(() => lease.isReliable, { timeout: 10_000 }).toBe(true);
  expect(deposed).toBe(0);
  await lease.release();
});

it('can be given up while the database cannot be reached', async () => {
  const lease = await takeAndKeep();
  line.cut();
  await lease.release();
  expect(deposed).toBe(0);
  expect(lease.isReliable).toBe(false);
});
