/** The database of several machines in the settings of the desktop app (specification/desktop.md#several-machines). */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test as everywhere, expect } from 'vitest';
import { mintKeyText } from '../../broker/config/kek-text.ts';
import { postgresForTests } from '../standby/postgres.ts';
import { safeStorage } from '../standin/electron.ts';
import { standin } from '../standin/standin.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { logInAs, type PreparedHome, prepareHome } from './testing/prepared-home.ts';
import { until } from './testing/until.ts';

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

test('starts with the database that the app keeps, and logs nothing of its password or the key', async () => {
  standin.hasKeychain = true;
  const sealed = await safeStorage.encryptStringAsync(
    JSON.stringify({ url: database, name: 'desk', address: null }),
  );
  writeFileSync(join(dirname(home.configPath), 'desktop-database.safe'), sealed);
  await start();
  await until(async () => expect((await labelsOf(app))[0]).toMatch(/^Running|item/));
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  await logInAs(page, 'ada');
  expect(await page.evaluate('window.muster.standbyState()')).toMatchObject({
    ok: true,
    value: { role: 'active', active: { name: 'desk' } },
  });
  expect(await page.evaluate('window.muster.keyState()')).toMatchObject({
    value: { place: 'keychain' },
  });
  expect(logs()).not.toMatch(/hush-hush/);
  expect(logs()).not.toContain(key);
});

test('starts nothing while the keychain is closed, and says what to do', async () => {
  await quit();
  await start(false);
  await page.getByText('cannot be opened by this system’s keychain').waitFor();
  expect((await labelsOf(app)).join()).not.toContain('Running');
  await quit();
});
