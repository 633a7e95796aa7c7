import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Keychain } from '../../broker/create-broker.ts';
import { createTeamDatabase } from './team-database.ts';

const url = 'postgres://muster:secret@db.example:5432/team?sslmode=verify-full';
const settings = { url, name: 'two', address: '10.0.0.2:8720' };
const keychain: Keychain = {
  wrap: async (text) => Buffer.from(text).reverse(),
  unwrap: async (bytes) => ({ text: Buffer.from(bytes).reverse().toString(), isStale: false }),
};
let folder: string;
let path: string;
let key: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-database-'));
  path = join(folder, 'desktop-database.safe');
  key = randomBytes(32).toString('base64');
  writeFileSync(join(folder, 'svc.json.kek'), key);
});
afterEach(() => rmSync(folder, { recursive: true }));

const databaseWith = (env = {}, opened: Keychain | null = keychain) =>
  createTeamDatabase({
    path,
    places: {
      configPath: join(folder, 'svc.json'),
      mainDbPath: join(folder, 'main.db'),
      activityDbPath: join(folder, 'activity.db'),
    },
    env,
    keychain: () => opened,
  });

test('seals what it keeps in a private file, and gives a start its variables with the team’s key', async () => {
  await databaseWith().keep(settings);
  expect(readFileSync(path, 'utf8')).not.toContain('secret');
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  const database = databaseWith();
  expect([database.source, database.url]).toEqual(['app', null]);
  expect(await database.machines()).toEqual({
    SVC_STANDBY_URL: url,
    SVC_KEK: key,
    SVC_BROKER_NAME: 'two',
    SVC_BROKER_ADDRESS: '10.0.0.2:8720',
  });
  expect(database.url).toBe(url);
});

test('sets no name and no address that were left empty', async () => {
  await databaseWith().keep({ url, name: null, address: null });
  expect(Object.keys(await databaseWith().machines())).toEqual(['SVC_STANDBY_URL', 'SVC_KEK']);
});

test('keeps nothing and adds nothing to a machine that is the only one', async () => {
  const database = databaseWith();
  expect(await database.machines()).toEqual({});
  expect([database.source, database.url]).toEqual([null, null]);
});

test('leaves the file alone if the environment names a database', async () => {
  await databaseWith().keep(settings);
  const database = databaseWith({ SVC_STANDBY_URL: 'postgres://a@localhost/b' });
  expect(await database.machines()).toEqual({});
  expect([database.source, database.url]).toEqual(['environment', 'postgres://a@localhost/b']);
});

test('forgets what it kept', async () => {
  await databaseWith().keep(settings);
  const database = databaseWith();
  await database.machines();
  await database.forget();
  expect([existsSync(path), database.source, database.url]).toEqual([false, null, null]);
});

test('refuses to keep a password without a keychain, and names the variables', async () => {
  await expect(databaseWith({}, null).keep(settings)).rejects.toThrow('set SVC_STANDBY_URL and SVC_KEK');
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['without the keychain', null, undefined],
  ['with a file that is damaged', keychain, '{"url":1,"secret":'],
])('refuses to start as the only machine %s, and says nothing of the content', async (_, opened, text) => {
  await databaseWith().keep(settings);
  if (text !== undefined) writeFileSync(path, Buffer.from(text).reverse());
  const starting = databaseWith({}, opened).machines();
  await expect(starting).rejects.toThrow('cannot be opened by this system’s keychain');
  await expect(starting).rejects.not.toThrow('secret');
  expect(existsSync(path)).toBe(true);
});
