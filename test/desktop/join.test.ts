/** A machine without a team joins one on several machines in its first screen (specification/desktop.md#joining-a-team). */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test as everywhere, expect } from 'vitest';
import { createHome, type Home } from '../../bin/testing/command.ts';
import { mintKeyText } from '../../broker/config/kek-text.ts';
import { postgresForTests } from '../standby/postgres.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { homePaths } from './testing/person-home.ts';
import { call, logInAs, type PreparedHome, prepareHome } from './testing/prepared-home.ts';
import { until } from './testing/until.ts';
import { violations } from './testing/violations.ts';

// The engine of a test machine has no keychain.
const test = everywhere.runIf(process.env.ELECTRON_BIN === undefined);
const postgres = postgresForTests();
const key = mintKeyText();
let team: PreparedHome;
let machine: Home;
let other: Awaited<ReturnType<Home['serve']>>;
let home: string;
let database: string;
let app: DesktopApp;
let page: Page;

/** With a password, which a server that trusts everybody does not read. */
const withPassword = (url: string): string => url.replace('muster@', 'muster:hush-hush@');

beforeAll(async () => {
  database = await postgres.createDatabase();
  team = await prepareHome();
  machine = await createHome();
  const words = ['--db', machine.path('main.db'), '--activity-db', machine.path('activity.db')];
  other = await machine.serve(['--config-path', team.configPath, ...words], {
    SVC_STANDBY_URL: database,
    SVC_KEK: key,
    SVC_BROKER_NAME: 'other',
  });
  database = withPassword(database);
  home = mkdtempSync(join(tmpdir(), 'muster-desktop-'));
});

afterAll(async () => {
  await app?.close();
  await machine?.remove();
  team?.remove();
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

async function start(options: { home?: string; hasKeychain?: boolean; env?: Record<string, string> } = {}) {
  app = await startDesktop({ home, hasKeychain: true, ...options });
  page = await until(() => app.page(0));
}
const isSetUp = () => page.getByRole('heading', { name: 'Set up Muster' }).waitFor();
const ask = (word: string, argument?: object): Promise<unknown> =>
  page.evaluate(`window.muster.${word}(${argument === undefined ? '' : JSON.stringify(argument)})`);
const form = (more: object = {}) => ({ url: database, key, name: 'desk', address: null, ...more });
const offer = () => page.getByRole('button', { name: 'Join a team on several machines…' });
const focused = () => page.evaluate('document.activeElement.textContent || document.activeElement.type');
/** The names of what the broker keeps, without the moment at which something was set aside. */
const kept = (at = home): string[] => {
  const { configDir, mainDbPath } = homePaths(at);
  return [...new Set([configDir, dirname(mainDbPath)])]
    .flatMap((folder) => readdirSync(folder))
    .filter((name) => /kek|^svc\.json$|\.db(?:$|\.unused)|safe/.test(name))
    .map((name) => name.replace(/\d{10,}/, ''))
    .sort();
};
const first = ['activity.db', 'main.db', 'svc.json.kek.safe'];

test('is offered in the first screen, and says in one sentence what is wrong', async () => {
  await start();
  await isSetUp();
  await offer().click();
  await page.getByRole('heading', { name: 'Join a team' }).waitFor();
  await page.getByRole('button', { name: 'Back' }).press('Enter');
  expect(await focused()).toBe('Join a team on several machines…');
  await page.keyboard.press('Enter');
  await page.getByLabel('Address of the database').waitFor();
  expect(await focused()).toBe('password');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type(database);
  await page.keyboard.press('Tab');
  await page.keyboard.type(mintKeyText());
  await app.answer(0);
  await page.getByRole('button', { name: 'Test' }).press('Enter');
  await page.getByRole('alert').getByText('The key is not the one of the team in this database.').waitFor();
  expect((await app.said()).join()).toMatch(/box Connect to the database “team\d+” on \/\S+\?/);
  await page.getByLabel('Key of the team').fill(key);
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('button', { name: 'Test' }).press('Enter');
  await page.getByText('The team can be joined.').waitFor();
  expect(await focused()).toBe('Test');
  await page.setViewportSize({ width: 1280, height: 800 });
});

/** Of both calls. `isAsked`: the person is asked before it is refused to join. */
async function refuses(more: object, sentence: string, isAsked: boolean): Promise<void> {
  for (const word of ['testJoin', 'joinTeam']) {
    if (isAsked && word === 'joinTeam') await app.answer(0);
    expect(await ask(word, form(more)), word).toMatchObject({
      ok: false,
      message: expect.stringContaining(sentence),
    });
  }
  expect(kept()).toEqual(first);
}

test.each([
  ['another key', { key: mintKeyText() }, 'the key is not the one of the team', true],
  ['a text that is no key', { key: 'short' }, 'the key of the team must have 44 characters', true],
  ['an address that is none', { url: 'mysql://a@localhost/b' }, 'must be one such as', false],
  ['another parameter', { url: 'postgres://a@b/c?sslkey=/etc/shadow' }, '“sslkey”', false],
])('refuses %s, for a test and for joining, and changes nothing', (_, more, sentence, isAsked) =>
  refuses(more, sentence, isAsked),
);

test('refuses a database without a team, and joins nothing if the person cancels', async () => {
  const url = withPassword(await postgres.createDatabase());
  await refuses({ url }, 'the database has no team yet; begin with the machine that has the team', true);
  expect(await ask('joinTeam', form())).toEqual({ ok: true, value: false });
  for (const argument of [form({ more: 1 }), form({ key: 'x'.repeat(65) }), { url: database }])
    expect(await ask('joinTeam', argument)).toMatchObject({ ok: false, code: 'bad_request' });
  expect(kept()).toEqual(first);
});

test('joins: the app starts again without what its first start made, and shows the login of the team', async () => {
  const { configPath } = homePaths(home);
  const own = readFileSync(`${configPath}.kek.safe`, 'utf8');
  await app.answer(0);
  await page.getByRole('button', { name: 'Join and restart…' }).click();
  await until(async () => expect(await app.said()).toContain('exit 0'));
  expect(await app.said()).toContain('relaunch');
  expect((await app.said()).join()).toMatch(/box Join the team in the database “team\d+” on \/\S+\?/);
  await app.close();
  expect(kept()).toEqual([
    'activity.db.unused-',
    'desktop-database.safe',
    'main.db.unused-',
    'svc.json.kek.safe',
    'svc.json.kek.safe.unused-',
  ]);
  expect(readFileSync(`${configPath}.kek.safe`, 'utf8')).not.toBe(own);
  await start();
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  await until(async () => expect(await labelsOf(app)).toContain('Standing by'));
  await logInAs(page, 'ada');
  await call(page, 'POST', '/push', { to: null, body: 'through the desktop' });
  await until(async () =>
    expect(await ask('standbyState')).toMatchObject({
      value: { role: 'standing by', active: { name: 'other' }, others: [{ isComplete: true }] },
    }),
  );
  const logs = readdirSync(app.paths.logsDir).map((name) =>
    readFileSync(join(app.paths.logsDir, name), 'utf8'),
  );
  const shown = JSON.stringify(await ask('databaseState'));
  for (const text of [...logs, shown, (await app.said()).join(), await page.content()]) {
    expect(text).not.toContain('hush-hush');
    expect(text).not.toContain(key);
  }
});

test('takes over with the key in its keychain, and can neither join again nor lose what it has', async () => {
  other.child.kill('SIGKILL');
  await until(async () => expect((await labelsOf(app))[0]).toMatch(/^Running|item/));
  const { messages } = (await call(page, 'GET', '/history?limit=10')) as { messages: { body: string }[] };
  expect(messages.map(({ body }) => body)).toEqual(['through the desktop']);
  expect(await ask('keyState')).toMatchObject({ value: { place: 'keychain' } });
  const before = kept();
  for (const [word, argument] of [['joinObstacle'], ['testJoin', form()], ['joinTeam', form()]] as const)
    expect(await ask(word, argument), word).toMatchObject({ message: 'this machine has a team already' });
  expect(kept()).toEqual(before);
  await app.close();
});

test('names where the key is if it is not the one of the team, and not a variable', async () => {
  const { configPath, configDir } = homePaths(home);
  const name = readdirSync(configDir).find((found) => found.includes('.kek.safe.unused-')) ?? '';
  const right = readFileSync(`${configPath}.kek.safe`);
  writeFileSync(`${configPath}.kek.safe`, readFileSync(join(configDir, name)));
  await start();
  await page
    .getByText(`the key that the app keeps beside "${configPath}" must be the same on each machine`)
    .waitFor();
  expect(await page.content()).not.toContain('SVC_KEK');
  writeFileSync(`${configPath}.kek.safe`, right);
  await app.close();
});

test('names the variables without a keychain, and the one that the environment sets', async () => {
  for (const [options, sentence] of [
    [{ hasKeychain: false }, 'set SVC_STANDBY_URL and SVC_KEK in the environment of the app instead'],
    [{ env: { SVC_KEK: key } }, 'The environment of the app sets a key (SVC_KEK)'],
  ] as const) {
    const empty = mkdtempSync(join(tmpdir(), 'muster-desktop-'));
    await start({ home: empty, ...options });
    await isSetUp();
    await offer().click();
    await page.getByRole('alert').getByText(sentence).waitFor();
    expect(await focused()).toBe('Back');
    expect(await ask('joinTeam', form())).toMatchObject({ ok: false, code: 'unavailable' });
    await app.close();
    rmSync(empty, { recursive: true, force: true });
  }
});

test('refuses a machine with the store of a team whose configuration was moved', async () => {
  const { configPath } = homePaths(home);
  for (const name of [configPath, `${dirname(configPath)}/desktop-database.safe`]) rmSync(name);
  for (const store of [homePaths(home).mainDbPath, homePaths(home).activityDbPath]) rmSync(`${store}.pos`);
  await start();
  await isSetUp();
  const before = kept();
  expect(await ask('joinTeam', form())).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('is the store of a team whose configuration is missing'),
  });
  writeFileSync(configPath, '{');
  expect(await ask('joinTeam', form())).toMatchObject({ message: 'this machine has a team already' });
  rmSync(configPath);
  expect(kept()).toEqual(before);
  expect(existsSync(configPath)).toBe(false);
});
