/** The check of a database that a person names, with a real PostgreSQL (docs/specification/desktop.md#several-machines). */
import { createSecretKey } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { configName } from '../../broker/backup/backup-format.ts';
import { mintKeyText } from '../../broker/config/kek-text.ts';
import { faultOfDatabase } from '../../broker/standby/check-database.ts';
import { keepPosition } from '../../broker/standby/kept-position.ts';
import { connectPageLog } from '../../broker/standby/page-log.ts';
import { freePort } from '../../broker/testing/free-port.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
const key = mintKeyText();
let folder: string;
let url: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-check-'));
  url = await postgres.createDatabase();
});
afterEach(() => rmSync(folder, { recursive: true }));

const main = () => join(folder, 'main.db');
const faultOf = (more: Partial<Parameters<typeof faultOfDatabase>[0]> = {}) =>
  faultOfDatabase({
    url,
    address: null,
    key,
    configPath: join(folder, 'svc.json'),
    dbPath: main(),
    activityDbPath: join(folder, 'activity.db'),
    ...more,
  });

function haveTeam(): void {
  writeFileSync(join(folder, 'svc.json'), '{}');
  writeFileSync(main(), 'store');
}

async function query(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Puts a team into the database, as an active broker does. */
async function fill(name = configName): Promise<void> {
  const kek = createSecretKey(Buffer.from(key, 'base64'));
  const log = await connectPageLog({ url, name: 'first', kek });
  await log.prepare();
  const epoch = (await log.take()) ?? 0;
  await log.putFiles(1, epoch, [{ name, content: Buffer.from('{}') }]);
  const end = { id: 'log', pos: 1, epoch };
  await log.completeBase('main', { ...end, pos: 0 }, end, { pages: 0, pageBytes: 4096 });
  log.end();
}

async function listen(answer: (socket: Socket) => void): Promise<string> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `postgres://muster@127.0.0.1:${(server.address() as { port: number }).port}/team`;
}

it('accepts an empty database for a machine that has the team, and creates nothing in it', async () => {
  haveTeam();
  expect(await faultOf()).toBeNull();
  await query('CREATE SCHEMA muster');
});

it('refuses an empty database for a machine that has no team', async () => {
  expect(await faultOf()).toContain('begin with the machine that has the team');
});

it('accepts a database with a team for a machine without one, if the key is the same', async () => {
  await fill();
  expect(await faultOf()).toBeNull();
  expect(await faultOf({ key: mintKeyText() })).toBe('the key is not the one of the team in this database');
});

it('accepts the database of which the machine has a copy, and refuses that of another team', async () => {
  await fill();
  haveTeam();
  expect(await faultOf()).toContain('what this machine has is not a copy of it');
  expect(await faultOf({ key: mintKeyText() })).toContain('the data of another team');
  keepPosition(main(), { id: 'log', pos: 1, epoch: 1 });
  expect(await faultOf()).toBeNull();
});

it('refuses a database that does not have the configuration of its team yet', async () => {
  await fill('share');
  expect(await faultOf()).toContain('does not have the whole team yet');
});

it('accepts the database of another team if the stores here are set aside first', async () => {
  await fill();
  writeFileSync(main(), 'store');
  expect(await faultOf()).toContain('what this machine has is not a copy of it');
  expect(await faultOf({ beginsEmpty: true })).toBeNull();
});

it('refuses a user who may not create tables', async () => {
  await query(`CREATE ROLE guest${process.pid} LOGIN`);
  haveTeam();
  expect(await faultOf({ url: url.replace('muster@', `guest${process.pid}@`) })).toContain(
    'make the user the owner of the database',
  );
});

it('says that the password is wrong, and never what it is', async () => {
  await query("CREATE ROLE locked LOGIN PASSWORD 'right'");
  await postgres.crash();
  const rules = join(folder, 'rules.conf');
  writeFileSync(rules, 'local all muster trust\nlocal all all scram-sha-256\n', { mode: 0o644 });
  chmodSync(folder, 0o755);
  await postgres.start(`hba_file=${rules}`);
  expect(await faultOf({ url: url.replace('muster@', 'locked:hush-hush@') })).toBe(
    'the database refused the user name or the password',
  );
  expect(await faultOf({ url: url.replace('muster@', 'locked@') })).toBe(
    'the database asks for a password, and the address has none',
  );
  await postgres.crash();
  await postgres.start();
});

it('refuses a database that loses what it has confirmed', async () => {
  await postgres.crash();
  await postgres.start('fsync=off');
  expect(await faultOf()).toContain('"fsync = off" and can lose what it confirmed');
  await postgres.crash();
  await postgres.start();
});

it('says that the server has no such database', async () => {
  expect(await faultOf({ url: url.replace('/team', '/none') })).toContain('no database of this name');
});

it('says that nothing listens', async () => {
  expect(await faultOf({ url: `postgres://muster@127.0.0.1:${await freePort()}/team` })).toContain(
    'nothing listens at the address',
  );
});

it('says that the server does not encrypt connections', async () => {
  // The answer to a request for encryption (https://www.postgresql.org/docs/current/protocol-flow.html).
  const silent = await listen((socket) => void socket.on('error', () => undefined).write('N'));
  expect(await faultOf({ url: `${silent}?sslmode=verify-full` })).toContain('turn TLS on there');
});

it('does not wait for a server that does not answer', async () => {
  const silent = await listen((socket) => void socket.on('error', () => undefined));
  expect(await faultOf({ url: silent })).toContain('did not answer in time');
});

it.each([
  ['another kind of address', { url: 'mysql://a@localhost/b' }, 'must be an address such as'],
  ['a connection that is not encrypted', { url: 'postgres://a@db.example/b' }, 'add sslmode=verify-full'],
  [
    'a file of certificates that is not there',
    { url: 'postgres://a@localhost/b?sslrootcert=/no/ca' },
    '(ENOENT)',
  ],
  ['an address for machines without a port', { address: '10.0.0.1' }, 'must be a host and a port'],
  ['a key that is none', { key: 'short' }, 'must have 44 characters'],
  ['a store in memory', { dbPath: ':memory:' }, 'a store in memory'],
])('refuses %s', async (_, more, sentence) => {
  expect(await faultOf(more)).toContain(sentence);
});
