/** One browser that several people use, and several tabs: each member sees and does only what is theirs. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintVapidKeys } from '../../broker/security/vapid.ts';
import { codeAt, freshAuthenticator } from '../../broker/testing/test-authenticator.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { watchFor } from './testing/passing-words.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], ben: [], dee: ['admin'], eva: ['admin'], kim: [], lin: [], max: [] },
  });
});
afterAll(() => shared?.stop());

const say = (name: string, body: string, to: string | null = null) =>
  shared.team.as(name).call('push', { body: { to, body } });
const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const whoami = (page: Page, name: string) => page.getByRole('link', { name: `${name} Me`, exact: true });

async function logInByForm(page: Page, name: string): Promise<void> {
  const totpSecret = await freshAuthenticator(shared.team, name);
  await page.getByLabel('Member').fill(name);
  await page.getByLabel('Code').fill(codeAt(totpSecret, Date.now()));
  await whoami(page, name).waitFor();
}
async function logOut(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('combobox').fill('log out');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
}
const open = async (name: string, path: string) => {
  const opened = await shared.open(name, { path });
  return opened;
};

it('keeps a draft away from the next member of the browser, and restores it for its author', async () => {
  const { page, context } = await open('ada', '/app/conversations/general');
  const text = page.getByLabel(/^Message #?general/);
  await text.fill('a word of ada');
  await logOut(page);
  await logInByForm(page, 'lin');
  await text.waitFor();
  expect(await text.inputValue()).toBe('');
  await logOut(page);
  await logInByForm(page, 'ada');
  await expect.poll(() => text.inputValue()).toBe('a word of ada');
  await context.close();
});

it('removes everything of the previous member from the screen when another logs in in another tab', async () => {
  await say('kim', 'only between dee and kim', 'dee');
  await say('kim', 'only between max and kim', 'max');
  const { page, context } = await open('dee', '/app/conversations/dm:kim');
  await log(page).getByText('only between dee and kim').waitFor();
  const other = await context.newPage();
  await other.goto('/app');
  await whoami(other, 'dee').waitFor();
  await logOut(other);
  await logInByForm(other, 'max');
  await whoami(page, 'max').waitFor();
  await log(page).getByText('only between max and kim').waitFor();
  expect(await log(page).getByText('only between dee and kim').count()).toBe(0);
  await context.close();
});

it('applies a login and a logout in one tab to all tabs', async () => {
  const context = await shared.browser.newContext({ baseURL: shared.team.url });
  const [one, two] = [await context.newPage(), await context.newPage()];
  for (const page of [one, two]) {
    await page.goto('/app');
    await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  }
  await logInByForm(one, 'ben');
  await whoami(two, 'ben').waitFor();
  await logOut(two);
  await one.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  await context.close();
});

it('reports a logout that failed, and stays logged in', async () => {
  const { page, context } = await open('kim', '/app/objectives');
  await page.getByRole('heading', { name: 'Objectives', level: 1 }).waitFor();
  await page.route('**/session/**', (route) => route.abort());
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('combobox').fill('log out');
  const said = await watchFor(page, 'The action failed');
  await page.keyboard.press('Enter');
  await said();
  await whoami(page, 'kim').waitFor();
  await context.close();
});

const pushKeys = { p256dh: mintVapidKeys().publicKey, auth: 'a'.repeat(22) };

/** The browser's side of web push; there is no push service here. */
const subscribed = `{
  const keys = ${JSON.stringify(pushKeys)};
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)).buffer;
  let isSubscribed = sessionStorage.getItem('ended') === null;
  const subscription = { endpoint: 'https://push.example/x', getKey: (name) => bytes(keys[name]), unsubscribe: async () => { sessionStorage.setItem('ended', 'yes'); isSubscribed = false; return true; } };
  const registration = { pushManager: { getSubscription: async () => (isSubscribed ? subscription : null) } };
  Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: { getRegistration: async () => registration } });
  Object.defineProperty(window, 'PushManager', { value: class {} });
  Object.defineProperty(Notification, 'permission', { value: 'granted' });
}`;
const isEnded = (page: Page) => page.evaluate(`sessionStorage.getItem('ended')`);

it('ends a member’s notifications at logout, and does not show them as another member’s', async () => {
  const { page, context } = await open('eva', '/app/me?part=notifications');
  await context.addInitScript(subscribed);
  await page.evaluate(
    `localStorage.setItem('muster.push', JSON.stringify({ member: 'eva', id: crypto.randomUUID() }))`,
  );
  await page.reload();
  await page.getByText('This browser gets notifications about direct messages', { exact: false }).waitFor();
  expect(await isEnded(page)).toBe(null);
  await logOut(page);
  expect(await isEnded(page)).toBe('yes');
  // The entries that an expired session left behind.
  await page.evaluate(`sessionStorage.removeItem('ended');
    localStorage.setItem('muster.push', JSON.stringify({ member: 'eva', id: crypto.randomUUID() }))`);
  await page.reload();
  await logInByForm(page, 'lin');
  await page.getByText('This browser gets no notifications.').waitFor();
  await expect.poll(() => isEnded(page)).toBe('yes');
  await context.close();
});
