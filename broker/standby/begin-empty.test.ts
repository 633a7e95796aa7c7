import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mintKeyText } from '../config/kek-text.ts';
import { createBroker } from '../create-broker.ts';
import { createLog } from '../runtime/log.ts';
import { beginEmpty, sealTeamKey, traceOfTeam } from './begin-empty.ts';

const log = createLog({ destination: { write: () => undefined } });
let folder: string;
const places = () => ({
  configPath: join(folder, 'svc.json'),
  mainDbPath: join(folder, 'main.db'),
  activityDbPath: join(folder, 'activity.db'),
});
const files = (): string[] =>
  readdirSync(folder)
    .map((name) => name.replace(/unused-\d+$/, 'unused'))
    .filter((name) => !/\.lock$|-(?:wal|shm)/.test(name))
    .sort();

/** As the first start of an app does. */
async function startOnce(): Promise<void> {
  const { configPath, mainDbPath: dbPath, activityDbPath } = places();
  const broker = await createBroker({ configPath, dbPath, activityDbPath, env: {}, log });
  expect(await traceOfTeam(places())).toBe(existsSync(configPath) ? 'this machine has a team already' : null);
  await broker.close();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-empty-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('sets aside what a first start made, and keeps the team’s key', async () => {
  await startOnce();
  const before = readFileSync(join(folder, 'svc.json.kek'), 'utf8');
  await beginEmpty(places(), 'sealed');
  expect(files()).toEqual([
    'activity.db.unused',
    'main.db.unused',
    'svc.json.kek.safe',
    'svc.json.kek.unused',
  ]);
  expect(readFileSync(join(folder, 'svc.json.kek.safe'), 'utf8')).toBe('sealed');
  const aside = readdirSync(folder).find((name) => name.startsWith('svc.json.kek.unused')) ?? '';
  expect(readFileSync(join(folder, aside), 'utf8')).toBe(before);
});

it('touches nothing of a machine with a team, or with its store alone', async () => {
  const member = { name: 'ada', role: { title: 'Pilot', description: '' }, rawPermissions: ['admin'] };
  writeFileSync(
    join(folder, 'svc.json'),
    JSON.stringify({
      team: { name: 'Harbour', permissionPresets: { admin: ['members.manage'] } },
      store: { members: [member] },
    }),
  );
  await startOnce();
  const before = files();
  await expect(beginEmpty(places(), 'sealed')).rejects.toThrow('this machine has a team already');
  expect(files()).toEqual(before);
  rmSync(join(folder, 'svc.json'));
  await expect(beginEmpty(places(), 'sealed')).rejects.toThrow('the store of a team whose configuration');
  expect(files()).toEqual(before.filter((name) => name !== 'svc.json'));
});

it('touches nothing beside activity of a team, or a store that it cannot read', async () => {
  await startOnce();
  const db = new Database(join(folder, 'activity.db'));
  db.exec("INSERT INTO usage VALUES ('ada', 0, '', 1, 1, 1, 0, 0)");
  db.close();
  expect(await traceOfTeam(places())).toContain('activity.db" is the store of a team');
  writeFileSync(join(folder, 'main.db'), 'no store');
  expect(await traceOfTeam(places())).toContain('main.db" cannot be read, and may be the store of a team');
});

it('seals only a key that the keychain gives back', async () => {
  const key = mintKeyText();
  const keychain = {
    wrap: async (text: string) => Buffer.from(text).reverse(),
    unwrap: async (bytes: Uint8Array) => ({ text: Buffer.from(bytes).reverse().toString(), isStale: false }),
  };
  const sealed = await sealTeamKey(key, keychain);
  expect(
    Buffer.from(sealed ?? '', 'base64')
      .reverse()
      .toString(),
  ).toBe(key);
  expect(await sealTeamKey('short', keychain)).toBeNull();
  const forgetful = { ...keychain, unwrap: async () => ({ text: mintKeyText(), isStale: false }) };
  expect(await sealTeamKey(key, forgetful)).toBeNull();
});
