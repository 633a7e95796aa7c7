/** The key in the system's keychain, and its recovery export (specification/desktop.md#key). */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, test as anywhere, beforeAll, expect } from 'vitest';
import { createHome, type Home } from '../../bin/testing/command.ts';
import { standin } from '../standin/standin.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { canHaveKeychain } from './testing/keychain.ts';
import { privateMode } from './testing/person-home.ts';
import { logInAs, type PreparedHome, prepareHome } from './testing/prepared-home.ts';
import { until } from './testing/until.ts';

const test = anywhere.runIf(canHaveKeychain);
const key = randomBytes(32).toString('base64');
let home: PreparedHome;
let other: Home;
let app: DesktopApp;
let page: Page;

beforeAll(async () => {
  home = await prepareHome();
  other = await createHome();
  writeFileSync(`${home.configPath}.kek`, `${key}\n`, { mode: 0o600 });
  app = await startDesktop({ home: home.path, hasKeychain: true });
  page = await until(() => app.page(0));
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
});

afterAll(async () => {
  await app?.close();
  await other?.remove();
  home?.remove();
});

test('wraps the plain key with the keychain and deletes its file', async () => {
  await until(() => expect(existsSync(`${home.configPath}.kek`)).toBe(false));
  const safe = `${home.configPath}.kek.safe`;
  expect(statSync(safe).mode & 0o777).toBe(privateMode);
  expect(readFileSync(safe, 'utf8')).not.toContain(key);
  expect(process.env.SVC_KEK).toBeUndefined();
});

test('says in Admin where the key is', async () => {
  await logInAs(page, 'ada');
  await page.getByRole('link', { name: /Admin$/ }).click();
  await page.getByRole('link', { name: 'Backup and retention' }).click();
  await page.getByText('wrapped by this system’s keychain').waitFor();
  expect(await page.getByText('kept only in memory').count()).toBe(0);
});

test('exports nothing when the dialog is cancelled', async () => {
  await page.getByRole('button', { name: 'Export the recovery key…' }).click();
  await page.getByText('Nothing was exported.').waitFor();
  expect(await app.said()).toContain('box Export the recovery key of this team?');
});

test('exports the key to a private file, and neither the page nor the log contains it', async () => {
  const target = join(home.path, 'recovery.key');
  await app.answer(0);
  await app.pickPath(target);
  await page.getByRole('button', { name: 'Export the recovery key…' }).click();
  await page.getByText(`Saved to ${target}`).waitFor();
  expect(readFileSync(target, 'utf8')).toBe(`${key}\n`);
  expect(statSync(target).mode & 0o777).toBe(privateMode);
  expect(await page.content()).not.toContain(key);
  const logged = readdirSync(home.path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(home.path, name), 'utf8'))
    .join('');
  expect(logged).toContain('the recovery key export has ended');
  expect(logged).not.toContain(key);
});

test('copies the key to the clipboard', async () => {
  await app.answer(1);
  await page.getByRole('button', { name: 'Export the recovery key…' }).click();
  await page.getByText('Copied. Save it in a safe place').waitFor();
  expect(await app.said()).toContain(`clipboard ${key}`);
});

test('a keychain that is still locked costs neither the key nor the login', async ({ skip }) => {
  if (app.isReal) skip('the keychain of the stand-in can be locked');
  await app.quit();
  await until(async () => expect(await app.said()).toContain('exit 0'));
  await app.close();
  const files = () =>
    readdirSync(dirname(home.configPath))
      .filter((name) => /\.kek|session/.test(name))
      .sort();
  const before = files();
  expect(before).toEqual(['desktop-session.safe', 'svc.json.kek.safe']);
  for (const ends of ['fails', 'opens'] as const) {
    const lock = Promise.withResolvers<void>();
    lock.promise.catch(() => undefined);
    if (ends === 'fails') lock.reject(new Error('the keyring is locked'));
    app = await startDesktop({ home: home.path, hasKeychain: true, keychainOpens: lock.promise });
    page = await until(() => app.page(0));
    await page
      .getByText('cannot be opened by this system’s keychain')
      .or(page.getByText("cannot be opened by this system's keychain"))
      .waitFor();
    expect(files()).toEqual(before);
    // The person unlocks it.
    if (ends === 'fails') {
      standin.keychainOpens = null;
      await page.getByRole('link', { name: 'Try again' }).click();
    } else lock.resolve();
    await page.getByRole('navigation').first().waitFor();
    await until(async () => expect((await labelsOf(app)).join()).toContain('Running'));
    expect(files()).toEqual(before);
    if (ends === 'fails') {
      await app.quit();
      await until(async () => expect(await app.said()).toContain('exit 0'));
      await app.close();
    }
  }
});

test('lets a headless start after the app has ended say where the key is, and accept the exported one', async () => {
  await app.quit();
  await until(async () => expect(await app.said()).toContain('exit 0'));
  const env = { SVC_CONFIG_PATH: home.configPath };
  const refused = await other.run(['serve', '--port', '0'], { env });
  expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining('SVC_KEK') });
  const broker = await other.serve([], { ...env, SVC_KEK: key });
  expect(broker.stderr()).not.toContain('cannot be decrypted');
  expect(readdirSync(dirname(home.configPath)).filter((name) => name.includes('.kek'))).toEqual([
    'svc.json.kek.safe',
  ]);
});
