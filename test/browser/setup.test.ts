/** The setup wizard in a tab that is reloaded at each step: nobody is locked out. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Broker, createBroker } from '../../broker/create-broker.ts';
import { createLog } from '../../broker/runtime/log.ts';
import { codeAt, wrongCode } from '../../broker/testing/test-authenticator.ts';
import { builtConsole } from './testing/built-console.ts';
import { sharedChromium } from './testing/chromium.ts';

let folder: string;
let broker: Broker;
let context: BrowserContext;
let page: Page;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-setup-'));
  broker = await createBroker({
    configPath: join(folder, 'svc.json'),
    env: {},
    log: createLog({ destination: { write: () => undefined } }),
    consoleFolder: await builtConsole(),
  });
  const baseURL = (await broker.listen({ port: 0 }))[0]?.url ?? '';
  context = await (await sharedChromium()).newContext({ baseURL });
  page = await context.newPage();
  await page.goto(`/setup#key=${broker.setupKey}`);
});
afterEach(async () => {
  await context.close();
  await broker.close();
  await rm(folder, { recursive: true });
});

const field = (name: string) => page.getByLabel(name, { exact: true });
const press = (name: string) => page.getByRole('button', { name }).click();
const stored = () => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
const secretOf = () => field('Secret').inputValue();

async function reachAuthenticator(): Promise<string> {
  await field('Team name').fill('Harbour');
  await press('Next');
  await field('Your name').fill('ada');
  await press('Next');
  return secretOf();
}

it('keeps the answers and the secret over a reload at each step, and then forgets them', async () => {
  const key = broker.setupKey ?? '';
  await field('Team name').fill('Harbour');
  await page.reload();
  expect(await field('Team name').inputValue()).toBe('Harbour');
  expect(await page.getByLabel('Setup key').count()).toBe(0);
  await press('Next');
  await field('Your name').fill('ada');
  await page.reload();
  expect(await field('Your name').inputValue()).toBe('ada');
  await press('Next');
  const secret = await secretOf();
  await page.reload();
  expect(await secretOf()).toBe(secret);
  await expect(stat(join(folder, 'svc.json'))).rejects.toThrow('ENOENT');
  await field('Current code').fill(codeAt(secret, Date.now()));
  await page.getByText('Harbour is set up, and you are logged in as ada.').waitFor();
  for (const value of [secret, key, 'Harbour']) expect(await stored()).not.toContain(value);
  await page.reload();
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
  expect(await stored()).not.toContain('muster.setup');
});

it('says that a code is wrong, sets nothing up, and accepts the next code after a reload', async () => {
  const secret = await reachAuthenticator();
  await field('Current code').fill('12');
  await press('Confirm');
  await page.getByText('A code has six digits.').waitFor();
  await field('Current code').fill(wrongCode([secret], Date.now()));
  await page.getByText('The code is not the current one', { exact: false }).waitFor();
  await expect(stat(join(folder, 'svc.json'))).rejects.toThrow('ENOENT');
  await page.reload();
  await field('Current code').fill(codeAt(secret, Date.now()));
  await page.getByText('you are logged in as ada').waitFor();
});

it('shows the same secret after Back, and another one for another name', async () => {
  const secret = await reachAuthenticator();
  await press('Back');
  await press('Next');
  expect(await secretOf()).toBe(secret);
  await press('Back');
  await field('Your name').fill('ben');
  await press('Next');
  await page.getByRole('img', { name: 'QR code for an authenticator' }).waitFor();
  expect(await secretOf()).not.toBe(secret);
});

it('leads to the login with a code if the page is reloaded before the last reply arrives', async () => {
  const secret = await reachAuthenticator();
  const done = Promise.withResolvers<void>();
  await page.route('**/setup', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    done.resolve();
  });
  await field('Current code').fill(codeAt(secret, Date.now()));
  await done.promise;
  expect(broker.setupKey).toBeNull();
  await page.reload();
  await field('Member').fill('ada');
  // The setup used the present code.
  await field('Code').fill(codeAt(secret, Date.now() + 30_000));
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
  expect(await stored()).not.toContain(secret);
});

it('continues at the same step after a reload if the last request did not reach the broker', async () => {
  const secret = await reachAuthenticator();
  const failed = page.waitForEvent('requestfailed');
  await page.route('**/setup', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await field('Current code').fill(codeAt(secret, Date.now()));
  await failed;
  await page.unroute('**/setup');
  await page.reload();
  expect(await secretOf()).toBe(secret);
  await field('Current code').fill(codeAt(secret, Date.now()));
  await page.getByText('you are logged in as ada').waitFor();
});

it('leads to the login if the last reply is lost and the person confirms again', async () => {
  const secret = await reachAuthenticator();
  await page.route('**/setup', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    await route.abort();
  });
  const failed = page.waitForEvent('requestfailed');
  await field('Current code').fill(codeAt(secret, Date.now()));
  await failed;
  await page.unroute('**/setup');
  await press('Confirm');
  await page.getByText('This broker is already set up', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'Log in' }).click();
  await field('Code').waitFor();
  expect(await stored()).not.toContain(secret);
});
