/** Real programs that stand by for each other: nothing acknowledged is lost, and never do two answer (docs/specification/standby.md). */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mintKeyText } from '../../broker/config/kek-text.ts';
import { mintToken } from '../../broker/security/token.ts';
import { reliedOnMs } from '../../broker/standby/lease.ts';
import { prepareServedBroker } from '../crash/served-broker.ts';
import { subscribe } from '../testing/subscription.ts';
import { bodiesOf, createMachines, type Machine, type Machines, push } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const metricsToken = mintToken();
const postgres = postgresForTests();
let machines: Machines;
let first: Machine;

beforeEach(async () => {
  await postgres.start();
  machines = await createMachines(await postgres.createDatabase(), ['ada', 'ben']);
  first = machines.first;
});
afterEach(() => machines.remove());

describe('a machine that stands by', { timeout: 120_000 }, () => {
  it('takes over from one that was suspended, which ends when it wakes up and answers nobody', async () => {
    await first.start();
    await first.active();
    const second = await machines.add('second');
    await second.start();
    await push(first, 'before');
    first.child.kill('SIGSTOP');
    const waiting = push(first, 'of a suspended one').catch(() => null);
    await second.active();
    await push(second, 'after');
    first.child.kill('SIGCONT');
    expect(await first.exit()).toBe(75);
    expect((await waiting)?.status ?? null).not.toBe(200);
    expect(await bodiesOf(second)).toEqual(['before', 'after']);
    await first.start();
    expect(await first.status('/readyz')).toBe(503);
  });
});

describe('the active broker', { timeout: 120_000 }, () => {
  it('answers nobody while the database is down, and goes on when it is back', async () => {
    await first.start({ SVC_METRICS_TOKEN: metricsToken });
    await first.active();
    const closed = Promise.withResolvers<void>();
    let hasSaidBye = false;
    const opened = Promise.withResolvers<void>();
    subscribe({
      url: first.url,
      member: 'ben',
      token: first.tokenOf('ben'),
      cursor: undefined,
      onOpen: () => undefined,
      onReady: () => opened.resolve(),
      onMessage: () => undefined,
      onBye: () => {
        hasSaidBye = true;
      },
      onFault: (fault) => expect.unreachable(fault),
      onClose: closed.resolve,
    });
    await opened.promise;
    await postgres.crash();
    const waiting = push(first, 'while it is down');
    const change = first.ask('ada', 'PATCH', '/team', { directive: 'Another one' });
    await closed.promise;
    expect(hasSaidBye).toBe(true);
    expect(await first.ask('ada', 'GET', '/history')).toMatchObject({
      status: 503,
      reply: { reason: 'not_confirmed' },
    });
    expect(await first.status('/readyz')).toBe(503);
    expect(await first.status('/healthz')).toBe(200);
    const metrics = await fetch(`${first.url}/metrics`, {
      headers: { authorization: `Bearer ${metricsToken}` },
    });
    const [, age] = /^muster_lease_age_seconds (\S+)$/m.exec(await metrics.text()) ?? [];
    expect(Number(age)).toBeGreaterThanOrEqual(reliedOnMs / 1000);
    await postgres.start();
    expect((await waiting).status).toBe(200);
    expect((await change).status).toBe(200);
    await first.active();
    expect(await bodiesOf(first)).toEqual(['while it is down']);
  });

  it('shows nobody what it could not ship, and loses it when it is killed before the database is back', async () => {
    await first.start();
    await first.active();
    const second = await machines.add('second');
    await second.start();
    await push(first, 'kept');
    await postgres.crash();
    const waiting = push(first, 'never acknowledged').catch(() => null);
    await expect.poll(() => first.status('/readyz')).toBe(503);
    await first.exit('SIGKILL');
    expect(await waiting).toBeNull();
    await postgres.start();
    await second.active();
    expect(await bodiesOf(second)).toEqual(['kept']);
    await first.start();
    await second.exit('SIGTERM');
    await first.active();
    expect(await bodiesOf(first)).toEqual(['kept']);
  });
});

describe('a start', { timeout: 120_000 }, () => {
  it('waits on a machine without a team for one that has it', async () => {
    const second = await machines.add('second');
    await second.start();
    await expect.poll(() => second.errors).toContain('does not have the whole team yet');
    await first.start();
    await first.active();
    await first.exit('SIGKILL');
    await second.active();
  });

  it.each([
    ['without the key', { SVC_KEK: '' }, 'SVC_STANDBY_URL needs SVC_KEK'],
    [
      'with a database elsewhere whose connection is not encrypted',
      { SVC_STANDBY_URL: 'postgres://a@db.example/team' },
      'sslmode=verify-full',
    ],
    [
      'with another kind of address',
      { SVC_STANDBY_URL: 'mysql://a@localhost/team' },
      'must be an address such as',
    ],
  ])('is refused %s', async (_, env, sentence) => {
    await expect(first.start(env)).rejects.toThrow(sentence);
    expect(await first.exit()).toBe(78);
  });

  it('is refused with the key of another team', async () => {
    await first.start();
    await first.active();
    const second = await machines.add('second');
    await second.start({ SVC_KEK: mintKeyText() });
    expect(await second.exit()).toBe(78);
    expect(second.errors).toContain('SVC_KEK must be the same on each machine');
  });

  it('is refused without the database where another machine may be active, and so are changes of the store', async () => {
    await first.start();
    await first.active();
    await first.exit('SIGTERM');
    await expect(first.start({ SVC_STANDBY_URL: '' })).rejects.toThrow('one of the copies of machines');
    expect(await first.exit()).toBe(78);
    const { configPath, mainDbPath, activityDbPath } = first.place;
    const stores = ['--config-path', configPath, '--db', mainDbPath, '--activity-db', activityDbPath];
    expect(await first.run('repair', ...stores)).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('nothing was repaired'),
    });
    const pruned = await first.run(
      'prune-activity',
      '--older-than',
      '1d',
      ...stores.slice(0, 2),
      ...stores.slice(4),
    );
    expect(pruned).toMatchObject({ code: 78, stderr: expect.stringContaining('nothing was deleted') });
    for (const file of [mainDbPath, activityDbPath]) await rm(`${file}.pos`);
    await first.start({ SVC_STANDBY_URL: '' });
    await first.active();
  });

  it('is refused with the configuration of another team, which stays as it is', async () => {
    await first.start();
    await first.active();
    const other = await machines.add('other');
    await prepareServedBroker(['eve'], { folder: other.folder });
    const before = await readFile(other.place.configPath);
    for (const _ of ['first', 'second']) {
      await other.start();
      expect(await other.exit()).toBe(78);
      expect(other.errors).toContain('move the file to another folder');
      expect(await readFile(other.place.configPath)).toEqual(before);
      expect(existsSync(other.place.mainDbPath)).toBe(false);
    }
  });
});
