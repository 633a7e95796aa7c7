/** A machine that was away for so long that the log has nothing left of what it needs (docs/specification/standby.md). */
import { createSecretKey } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeHttpsFiles } from '../../broker/config/https-files.ts';
import { keptEntries } from '../../broker/standby/fold.ts';
import { follow } from '../../broker/standby/follow.ts';
import { freePort } from '../../broker/testing/free-port.ts';
import { until } from '../testing/until.ts';
import { bodiesOf, createMachines, type Machine, type Machines, push } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
let database: string;
let machines: Machines;
let shared: string;

beforeEach(async () => {
  shared = await mkdtemp(join(tmpdir(), 'muster-shared-'));
  database = await postgres.createDatabase();
  machines = await createMachines(database, ['ada', 'ben'], { files: { root: shared } });
});
afterEach(async () => {
  await machines.remove();
  await rm(shared, { recursive: true });
});

const authorization = (at: Machine) => ({ authorization: `Bearer ${at.tokenOf('ada')}` });
async function upload(at: Machine, name: string): Promise<void> {
  const response = await fetch(`${at.url}/fs/write?path=/ada/${name}`, {
    method: 'POST',
    headers: { ...authorization(at), 'content-type': 'application/octet-stream' },
    body: `the text of ${name}`,
  });
  expect(response.status).toBe(200);
}
async function remove(at: Machine, name: string): Promise<void> {
  const url = `${at.url}/fs/rm?path=/ada/${name}`;
  expect((await fetch(url, { method: 'DELETE', headers: authorization(at) })).status).toBe(204);
}
const read = (at: Machine, name: string) =>
  fetch(`${at.url}/fs/read/ada/${name}`, { headers: authorization(at) });

async function changeConfig(at: Machine, change: object): Promise<void> {
  const { configPath } = at.place;
  const config = JSON.parse(await readFile(configPath, 'utf8'));
  await writeFile(configPath, JSON.stringify({ ...config, ...change }));
}

/** The files on a machine that all of them have. */
async function contentsOf({ place, folder }: Machine): Promise<Record<string, Buffer>> {
  const tls = (await readdir(join(folder, 'tls'))).sort().map((name) => join('tls', name));
  const stores = [place.mainDbPath, place.activityDbPath];
  const paths = [...stores, place.configPath, ...tls.map((name) => join(folder, name))];
  const entries = await Promise.all(
    paths.map(async (path) => [path.slice(folder.length), await readFile(path)]),
  );
  return Object.fromEntries(entries);
}

async function foldedOf(store: string): Promise<number> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query('SELECT pos FROM muster.fold WHERE store = $1', [store]);
  await client.end();
  return Number(rows[0]?.pos);
}

/** Removes all but the newest MiB of messages. */
async function removeOldest(at: Machine): Promise<void> {
  await at.ask('ada', 'PATCH', '/retention', { messages: { maxBytes: 1024 * 1024 } });
  await at.ask('ada', 'POST', '/retention/run');
  await until(async () => {
    const { reply } = await at.ask('ada', 'GET', '/retention');
    return (reply as { run: { endedAt: number | null } | null }).run?.endedAt != null;
  }, 'the oldest messages are removed');
}

it('a machine that was away for long has everything again, and takes over', {
  timeout: 240_000,
}, async () => {
  const { first } = machines;
  const second = await machines.add('second');
  const names = { configured: [] as string[], all: ['127.0.0.1'] };
  await makeHttpsFiles(first.place.configPath, { teamName: 'Crash', names, now: Date.now() });
  const https = { port: await freePort(), cert: 'tls/server.crt', key: 'tls/server.key' };
  await changeConfig(first, { https, listen: { httpsHost: '127.0.0.1' } });
  await first.start();
  await first.active();
  await upload(first, 'kept.txt');
  await upload(first, 'removed.txt');
  await second.start();
  await until(() => second.errors.includes('has what the database has'), 'the second machine has everything');
  await second.exit('SIGTERM');
  const before = await contentsOf(second);
  const positionBefore = Number((await readFile(`${second.place.mainDbPath}.pos`, 'utf8')).split(' ')[1]);

  for (let n = 0; n < 5 * keptEntries; n += 1)
    expect((await push(first, `${n} ${'x'.repeat(8000)}`)).status).toBe(200);
  for (let n = 0; n < 5; n += 1)
    expect((await first.ask('ada', 'PATCH', '/team', { directive: `Directive ${n}` })).status).toBe(200);
  await removeOldest(first);
  await remove(first, 'removed.txt');
  await first.exit('SIGTERM');
  const trash = join(shared, '.trash');
  const today = Math.floor(Date.now() / 86_400_000);
  await rename(join(trash, String(today)), join(trash, String(today - 7)));
  // Another name makes another certificate.
  await changeConfig(first, { listen: { httpsHost: '127.0.0.1', hosts: ['team.example'] } });
  await first.start();
  await first.active();
  const role = { title: 'Developer', description: '' };
  expect((await first.ask('ada', 'POST', '/members', { name: 'cy', role, permissions: [] })).status).toBe(
    201,
  );
  await upload(first, 'brief.txt');
  await remove(first, 'brief.txt');
  for (let n = 0; n < 3 * keptEntries; n += 1) await push(first, `last ${n}`);
  await until(async () => (await foldedOf('main')) > positionBefore + 6 * keptEntries, 'the log is folded');

  await second.start();
  await until(() => second.errors.includes('has what the database has'), 'the second machine has everything');
  await second.exit('SIGTERM');
  await first.exit('SIGTERM');
  // The last commits of the first one, with nobody who writes anymore.
  const stores = [
    { store: 'main', file: second.place.mainDbPath, schema: 1000 },
    { store: 'activity', file: second.place.activityDbPath, schema: 1000 },
  ];
  const taken = await follow({
    url: database,
    name: 'second',
    kek: createSecretKey(Buffer.from(machines.kek, 'base64')),
    stores,
    mayBegin: false,
    placeFiles: async () => undefined,
    onFault: () => undefined,
    signal: AbortSignal.timeout(60_000),
  });
  expect(taken?.logs).toMatchObject({ main: { pos: expect.any(Number) } });
  const after = await contentsOf(second);
  expect(Object.keys(after)).toContain('/tls/server.crt');
  for (const [name, content] of Object.entries(await contentsOf(first))) {
    expect([name, after[name]?.equals(content)]).toEqual([name, true]);
    if (!name.endsWith('.key') && !name.includes('ca.'))
      expect([name, before[name]?.equals(content)]).toEqual([name, false]);
  }

  await second.start();
  await second.active();
  expect((await bodiesOf(second)).at(-1)).toBe(`last ${3 * keptEntries - 1}`);
  expect((await second.ask('ben', 'GET', '/roster')).reply).toMatchObject({
    teammates: [{ name: 'ada' }, { name: 'ben' }, { name: 'cy' }],
  });
  expect(await (await read(second, 'kept.txt')).text()).toBe('the text of kept.txt');
  expect((await read(second, 'removed.txt')).status).toBe(404);
  expect(await readdir(trash)).not.toContain(String(today - 7));
});
