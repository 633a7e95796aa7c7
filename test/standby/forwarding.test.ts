/** Real programs: each machine serves the team, whichever is active (docs/specification/standby.md#forwarding). */
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../broker/testing/free-port.ts';
import { subscribe } from '../testing/subscription.ts';
import { until } from '../testing/until.ts';
import { bodiesOf, createMachines, type Machine, type Machines, push } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
let url: string;
let machines: Machines;
let first: Machine;
let second: Machine;

beforeEach(async () => {
  url = await postgres.createDatabase();
  machines = await createMachines(url, ['ada', 'ben']);
  first = machines.first;
  second = await machines.add('second');
});
afterEach(() => machines.remove());

const serves = (machine: Machine) =>
  until(async () => (await machine.status('/app')) !== 503, `${machine.url} passes requests on`);

/** A stream at a machine, with what arrived on it. */
async function openStream(at: Machine) {
  const bodies: string[] = [];
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const request = subscribe({
    url: at.url,
    member: 'ben',
    token: at.tokenOf('ben'),
    cursor: undefined,
    onOpen: () => undefined,
    onReady: () => ready.resolve(),
    onMessage: (data) => bodies.push(JSON.parse(data).body),
    onFault: (fault) => ready.reject(new Error(fault)),
    onClose: ended.resolve,
  });
  await ready.promise;
  return { bodies, ended: ended.promise, request };
}

describe('a machine that stands by', { timeout: 120_000 }, () => {
  beforeEach(async () => {
    const { configPath } = first.place;
    const config = JSON.parse(await readFile(configPath, 'utf8'));
    const files = { root: join(first.folder, 'files') };
    await writeFile(configPath, JSON.stringify({ ...config, files }));
    await first.start();
    await first.active();
    await second.start();
    await serves(second);
  });

  it('passes requests, streams, and uploads on, and answers itself whether it is ready', async () => {
    const stream = await openStream(second);
    expect((await push(second, 'through the second')).status).toBe(200);
    expect((await push(first, 'at the first')).status).toBe(200);
    await expect.poll(() => stream.bodies).toEqual(['through the second', 'at the first']);
    stream.request.destroy();
    const content = Buffer.alloc(8 * 1024 * 1024, 'forwarded ');
    const authorization = `Bearer ${second.tokenOf('ada')}`;
    const file = `${second.url}/fs/write?path=/ada/large.txt`;
    const written = await fetch(file, { method: 'POST', headers: { authorization }, body: content });
    expect(written.status, await written.text()).toBeLessThan(300);
    const read = await fetch(`${first.url}/fs/read/ada/large.txt`, { headers: { authorization } });
    expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true);
    expect(await second.status('/readyz')).toBe(503);
    expect(await (await fetch(`${second.url}/healthz`)).json()).toMatchObject({ status: 'standby' });
  });

  it('ends a stream when the active one is killed, and answers at the same address after it took over', async () => {
    const stream = await openStream(second);
    await push(second, 'before');
    await first.exit('SIGKILL');
    await stream.ended;
    await second.active();
    expect((await push(second, 'after')).status).toBe(200);
    expect(await bodiesOf(second)).toEqual(['before', 'after']);
  });

  it('lets nobody wait for an active one that is suspended', async () => {
    const stream = await openStream(second);
    first.child.kill('SIGSTOP');
    await stream.ended;
    await second.active();
    first.child.kill('SIGCONT');
    expect(await first.exit()).toBe(75);
  });

  it('takes over while a client of it has a thousand connections that say nothing', async () => {
    const { hostname, port } = new URL(second.url);
    const idle = Array.from({ length: 1000 }, () =>
      connect(Number(port), hostname).on('error', () => undefined),
    );
    expect((await push(second, 'beside them')).status).toBe(200);
    await first.exit('SIGKILL');
    await second.active();
    for (const socket of idle) socket.destroy();
    expect(await bodiesOf(second)).toEqual(['beside them']);
  });
});

it('a machine stands by with a database of the version before', { timeout: 120_000 }, async () => {
  await first.start();
  await first.active();
  await first.exit('SIGTERM');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('DROP TABLE muster.door');
  await client.query('ALTER TABLE muster.machine DROP COLUMN addresses');
  await client.end();
  await first.start();
  await first.active();
  await second.start();
  await serves(second);
});

it('an active broker whose address is loopback by default says once that other machines cannot reach it', {
  timeout: 120_000,
}, async () => {
  const warnings = () => first.errors.split('other machines cannot reach this broker').length - 1;
  await first.start({ SVC_BROKER_ADDRESS: `127.0.0.1:${await freePort()}` });
  await first.active();
  await second.start();
  await serves(second);
  expect(warnings()).toBe(0);
  await second.exit('SIGTERM');
  await first.exit('SIGTERM');
  await first.start();
  await first.active();
  await expect.poll(warnings).toBe(1);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("UPDATE muster.door SET address = 'nowhere:1'");
  // The broker writes its address again and again.
  await expect
    .poll(async () => (await client.query('SELECT address FROM muster.door')).rows[0].address)
    .not.toBe('nowhere:1');
  await client.end();
  expect(warnings()).toBe(1);
});

it.each(['without-a-port', 'host:0', 'host:70000', ':8720'])(
  'a start is refused with the address %s',
  async (address) => {
    await expect(first.start({ SVC_BROKER_ADDRESS: address })).rejects.toThrow(
      `SVC_BROKER_ADDRESS is "${address}"`,
    );
    expect(await first.exit()).toBe(78);
  },
);
