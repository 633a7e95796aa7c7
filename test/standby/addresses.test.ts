/** Real programs: clients go on at another machine's address (docs/specification/standby.md#addresses). */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createHttpClient } from '#client/http-client.ts';
import { followMessages } from '#client/live-stream.ts';
import { createPinnedAgent } from '#client/pinned-agent.ts';
import { makeHttpsFiles } from '../../broker/config/https-files.ts';
import { certificateFingerprint } from '../../broker/security/fingerprint.ts';
import { freePort } from '../../broker/testing/free-port.ts';
import { until } from '../testing/until.ts';
import { createMachines, type Machine, type Machines, push } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
let database: string;
let machines: Machines;
let first: Machine;
let second: Machine;
let port: number;
let fingerprint: string;

async function changeConfig(at: Machine, change: object): Promise<void> {
  const { configPath } = at.place;
  const config = JSON.parse(await readFile(configPath, 'utf8'));
  await writeFile(configPath, JSON.stringify({ ...config, ...change }));
}
const hosts = ['127.0.0.1', '127.0.0.2'];
const secureUrl = (host: string) => `https://${host}:${port}`;
const serves = (at: Machine) =>
  until(async () => (await at.status('/app')) !== 503, `${at.url} passes requests on`);

/** The machines have one configuration and one network, so a person gives the second one an address of its own. */
beforeEach(async () => {
  database = await postgres.createDatabase();
  machines = await createMachines(database, ['ada', 'ben']);
  first = machines.first;
  second = await machines.add('second');
  port = await freePort();
  const { certificate } = await makeHttpsFiles(first.place.configPath, {
    teamName: 'Crash',
    names: { configured: [], all: hosts },
    now: Date.now(),
  });
  fingerprint = certificateFingerprint(certificate);
  const https = { port, cert: 'tls/server.crt', key: 'tls/server.key' };
  await changeConfig(first, { https, listen: { httpsHost: '127.0.0.1', hosts } });
  await first.start();
  await first.active();
  // Copies the configuration, but cannot have the address of the first one.
  await second.start();
  await serves(second);
  await second.exit('SIGTERM');
  await changeConfig(second, { listen: { httpsHost: '127.0.0.2', hosts } });
  await second.start();
  await serves(second);
}, 120_000);
afterEach(() => machines.remove());

/** Writes the saved connection of a member into the folder of a machine, whose commands then use it. */
async function saveConnection(at: Machine, member: string, addresses: string[]): Promise<void> {
  const path = join(at.folder, '.config', 'svc', 'auth.json');
  await mkdir(dirname(path), { recursive: true });
  const url = secureUrl('127.0.0.1');
  const entry = { url, token: at.tokenOf(member), savedAt: 1, addresses };
  await writeFile(path, JSON.stringify({ schema: 1, entries: [entry] }));
  await writeFile(
    join(dirname(path), 'pins.json'),
    JSON.stringify({ schema: 1, pins: [{ url, fingerprint, savedAt: 1 }] }),
  );
}

describe('when the first machine is killed', { timeout: 120_000 }, () => {
  it('a saved connection goes on through the other one, for requests and for a live stream', async () => {
    const further = secureUrl('127.0.0.2');
    await saveConnection(first, 'ada', [further]);
    const agents = [secureUrl('127.0.0.1'), further].map((url) => createPinnedAgent(url, fingerprint));
    const http = createHttpClient({
      url: secureUrl('127.0.0.1'),
      token: first.tokenOf('ben'),
      agent: agents[0],
      further: [{ url: further, agent: agents[1]! }],
    });
    const stop = new AbortController();
    const bodies: string[] = [];
    const states: string[] = [];
    const following = followMessages({
      http,
      name: 'ben',
      signal: stop.signal,
      onMessage: ({ body }) => void bodies.push(body),
      onState: ({ state }) => void states.push(state),
    });
    onTestFinished(async () => {
      stop.abort();
      await following;
      for (const agent of agents) agent.destroy();
    });
    await expect.poll(() => states).toEqual(['connected']);
    expect(await first.run('push', 'before', '--to', 'ben')).toMatchObject({ code: 0 });
    await expect.poll(() => bodies).toEqual(['before']);
    const doctor = async () => (await first.run('doctor')).stdout;
    expect(await doctor()).toContain(`ok    further address: ${further} answers`);
    await first.exit('SIGKILL');
    // It waits for the takeover.
    expect(await first.run('push', 'after', '--to', 'ben')).toMatchObject({ code: 0, stderr: '' });
    await expect.poll(() => bodies).toEqual(['before', 'after']);
    expect(states.at(-1)).toBe('connected');
    expect(await doctor()).toMatch(
      /^fail {2}broker: nothing answers [\s\S]*^ok {4}further address: .* answers$/m,
    );
    await second.exit('SIGKILL');
    expect(await doctor()).toContain(`warn  further address: nothing answers at ${further}`);
  });
});

it('the active broker names what the machines that stand by said within a minute', {
  timeout: 120_000,
}, async () => {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const said = 'SELECT addresses FROM muster.machine WHERE name = $1';
  // Other machines do not reach loopback.
  expect((await client.query(said, ['second'])).rows).toEqual([{ addresses: [] }]);
  const add = `INSERT INTO muster.machine (name, version, is_complete, seen, addresses)
    VALUES ($1, '1', true, clock_timestamp() - $2::interval, $3)`;
  await client.query(add, ['third', '10 s', ['https://10.0.0.3:8718', 'http://10.0.0.3:8717']]);
  await client.query(add, ['fourth', '2 min', ['https://10.0.0.4:8718']]);
  await client.query(add, ['older', '1 s', null]);
  await client.end();
  await expect
    .poll(async () => (await first.ask('ben', 'GET', '/addresses')).reply)
    .toEqual({ addresses: [{ url: 'https://10.0.0.3:8718', fingerprint }] });
  expect((await push(first, 'and it goes on')).status).toBe(200);
});
