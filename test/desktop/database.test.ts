/** The database of several machines in the settings of the desktop app (specification/desktop.md#several-machines). */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test as everywhere, expect } from 'vitest';
import { mintKeyText } from '../../broker/config/kek-text.ts';
import { postgresForTests } from '../standby/postgres.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { call, logInAs, type PreparedHome, prepareHome } from './testing/prepared-home.ts';
import { until } from './testing/until.ts';
import { violations } from './testing/violations.ts';

// The engine of a test machine has no keychain.
const test = everywhere.runIf(process.env.ELECTRON_BIN === undefined);
const postgres = postgresForTests();
const key = mintKeyText();
let home: PreparedHome;
let app: DesktopApp;
let page: Page;
let database: string;

/** With a password, which a server that trusts everybody does not read. */
const withPassword = (url: string): string => url.replace('muster@', 'muster:hush-hush@');

beforeAll(async () => {
  database = withPassword(await postgres.createDatabase());
  home = await prepareHome();
  writeFileSync(`${home.configPath}.kek`, key);
});

afterAll(async () => {
  await app?.close();
  home?.remove();
});

async function start(hasKeychain = true): Promise<void> {
  app = await startDesktop({ home: home.path, hasKeychain });
  page = await until(() => app.page(0));
}

const quit = async (): Promise<void> => {
  await app.quit();
  await until(async () => expect(await app.said()).toContain('exit 0'));
  await app.close();
};

const logs = (): string =>
  readdirSync(app.paths.logsDir)
    .map((name) => readFileSync(join(app.paths.logsDir, name), 'utf8'))
    .join('');

/** Calls the bridge. */
const ask = (word: string, argument?: object): Promise<unknown> =>
  page.evaluate(`window.muster.${word}(${argument === undefined ? '' : JSON.stringify(argument)})`);
const form = (url: string) => ({ url, name: 'desk', address: null });
const safe = (): string => join(dirname(home.configPath), 'desktop-database.safe');
const runs = () => until(async () => expect((await labelsOf(app))[0]).toMatch(/^Running|item/));
/** The page may be from a moment at which this machine still waited for the lease, and then says so. */
async function startActive(): Promise<void> {
  await start();
  await runs();
  const isOpen = page.getByRole('navigation').first();
  const again = page.getByRole('button', { name: 'Try again' });
  await isOpen.or(again).first().waitFor();
  if (await again.isVisible()) await again.click();
  await isOpen.waitFor();
}
const ended = async (): Promise<void> => {
  await until(async () => expect(await app.said()).toContain('exit 0'));
  expect(await app.said()).toContain('relaunch');
  await app.close();
};
const bodies = async (): Promise<string[]> => {
  const { messages } = (await call(page, 'GET', '/history?limit=10')) as { messages: { body: string }[] };
  return messages.map(({ body }) => body);
};

test('refuses a member who is no manager', async () => {
  await start();
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  await logInAs(page, 'ben');
  for (const [word, argument] of [
    ['databaseState'],
    ['testDatabase', form(database)],
    ['nameDatabase', form(database)],
    ['leaveDatabase'],
  ] as const)
    expect(await ask(word, argument), word).toMatchObject({ ok: false, code: 'forbidden' });
  await call(page, 'POST', '/session/logout');
});

test('connects only to what the person confirmed, and says in one sentence what is wrong', async () => {
  await logInAs(page, 'ada');
  await call(page, 'POST', '/push', { to: null, body: 'before' });
  expect(await ask('databaseState')).toEqual({
    ok: true,
    value: { source: null, place: null, name: null, address: null, obstacle: null },
  });
  expect(await ask('testDatabase', form(database))).toMatchObject({
    message: 'nothing was tested, because you did not allow the connection',
  });
  expect((await app.said()).join()).toMatch(/box Connect to the database “team\d+” on \/\S+\?/);
  await app.answer(0);
  expect(await ask('testDatabase', form(database))).toEqual({ ok: true, value: null });
  // The person is asked once for each host.
  const before = (await app.said()).length;
  expect(await ask('testDatabase', form(database.replace('/team', '/none')))).toMatchObject({
    ok: false,
    message: 'the server has no database of this name; create it first',
  });
  expect(await ask('testDatabase', form('postgres://a@db.example/team?sslkey=/etc/shadow'))).toMatchObject({
    message: expect.stringContaining('“sslkey”'),
  });
  expect((await app.said()).length).toBe(before);
});

test('tests and names it in Admin, with the keyboard, at 360 pixels, and without a fault for axe', async () => {
  await page.getByRole('link', { name: /Admin$/ }).click();
  await page.getByRole('link', { name: 'Network' }).click();
  const part = page.getByRole('region', { name: 'Database of several machines' });
  await part.getByText('This machine is the only one.').waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  expect(await violations(page)).toEqual([]);
  const address = part.getByLabel('Address of the database');
  await address.fill(database.replace('/team', '/none'));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await part.getByRole('alert').getByText('The server has no database of this name').waitFor();
  await address.fill(database);
  expect(await part.getByRole('alert').count()).toBe(0);
  await part.getByRole('button', { name: 'Test' }).press('Enter');
  await part.getByText('The database can be used.').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Test');
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('keeps nothing if the person cancels, or if the database cannot be used', async () => {
  expect(await ask('nameDatabase', form(database))).toEqual({ ok: true, value: false });
  await app.answer(0);
  expect(await ask('nameDatabase', form(database.replace('/team', '/none')))).toMatchObject({ ok: false });
  expect(existsSync(safe())).toBe(false);
  expect(await ask('leaveDatabase')).toMatchObject({ message: 'this machine is the only one already' });
});

test('keeps the database sealed and starts again with it; pages and logs get neither password nor key', async () => {
  await app.answer(0);
  await ask('nameDatabase', form(database)).catch(() => undefined);
  await ended();
  expect(readFileSync(safe(), 'latin1')).not.toContain('hush-hush');
  await startActive();
  expect(await ask('standbyState')).toMatchObject({ value: { role: 'active', active: { name: 'desk' } } });
  const shown = await ask('databaseState');
  expect(shown).toMatchObject({ value: { source: 'app', place: { database: 'team1' }, name: 'desk' } });
  expect(await ask('keyState')).toMatchObject({ value: { place: 'keychain' } });
  expect(await bodies()).toEqual(['before']);
  await call(page, 'POST', '/push', { to: null, body: 'with the database' });
  for (const text of [JSON.stringify(shown), logs(), (await app.said()).join()]) {
    expect(text).not.toContain('hush-hush');
    expect(text).not.toContain(key);
  }
});

test('starts nothing while the keychain is closed, and says what to do', async () => {
  await quit();
  await start(false);
  await page.getByText('cannot be opened by this system’s keychain').waitFor();
  expect((await labelsOf(app)).join()).not.toContain('Running');
  await quit();
});

test('goes back to one machine only if no other one stands by', async () => {
  await startActive();
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  // As another machine does, also one with the same name.
  const stand = (name: string, ago: string) =>
    client.query(
      `INSERT INTO muster.machine VALUES ($1, '1.0.0', true, clock_timestamp() - $2::interval)
         ON CONFLICT (name) DO UPDATE SET seen = excluded.seen`,
      [name, ago],
    );
  // It said so itself until it became active.
  await stand('desk', '6 s');
  for (const name of ['other', 'desk']) {
    await stand(name, '0 s');
    expect(await ask('leaveDatabase')).toMatchObject({
      ok: false,
      message: expect.stringContaining(`“${name}” said less than 5 seconds ago that it stands by`),
    });
    await stand(name, '6 s');
  }
  await client.end();
  expect((await app.said()).join()).not.toContain('Go back');
  expect(await ask('leaveDatabase')).toEqual({ ok: true, value: false });
  await app.answer(0);
  await ask('leaveDatabase').catch(() => undefined);
  await ended();
  expect(existsSync(safe())).toBe(false);
  await startActive();
  expect(await ask('standbyState')).toEqual({ ok: true, value: null });
  expect(await bodies()).toEqual(['with the database', 'before']);
});

test('refuses the database that lacks what was written since', async () => {
  await app.answer(0);
  expect(await ask('testDatabase', form(database))).toMatchObject({
    message: expect.stringContaining('what this machine has is not a copy of it; use an empty database'),
  });
  await quit();
});
