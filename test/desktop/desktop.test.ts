/** The app from its first file to its end, against the stand-in, a real broker and a real Chromium. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { buildDesktop } from '../../electron/build.ts';
import { launchChromium } from '../browser/testing/chromium.ts';
import { app, type BrowserWindow, standin } from '../standin/electron.ts';

const home = mkdtempSync(join(tmpdir(), 'muster-desktop-'));
const until = <T>(read: () => T) => vi.waitFor(read, { timeout: 15_000, interval: 50 });

const labels = (): string[] => standin.trays[0]?.menu.items.map(({ label }) => label ?? '—') ?? [];
function choose(label: string): void {
  const item = standin.trays[0]?.menu.items.find((one) => one.label?.startsWith(label));
  if (item?.click === undefined) throw new Error(`no "${label}" among ${labels().join(', ')}`);
  item.click();
}
const consoleWindow = (): BrowserWindow => standin.windows[0]!;
let address = '';

beforeAll(async () => {
  for (const [name, value] of Object.entries({
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CACHE_HOME: join(home, 'cache'),
    SVC_PORT: '0',
  }))
    vi.stubEnv(name, value);
  await buildDesktop(join(home, 'app', 'dist', 'desktop'));
  standin.appPath = join(home, 'app');
  standin.launch = launchChromium;
  standin.hasKeychain = true;
  await import('../../electron/main.ts');
}, 120_000);

afterAll(async () => {
  await standin.stop();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

test('starts in the sandbox, with its scheme, and says in the tray that it waits to be set up', async () => {
  expect(standin.isSandboxed).toBe(true);
  expect(standin.privileged.map(({ scheme }) => scheme)).toEqual(['muster']);
  await until(() => expect(labels()).toContain('waiting to be set up'));
  expect(labels()).toContain('Set up…');
});

test('opens the console at the first set-up, through its scheme, and the page sees no token', async () => {
  await until(() => expect(consoleWindow()?.isShown).toBe(true));
  const page = await consoleWindow().page;
  await page.getByRole('heading', { name: 'Set up Muster' }).waitFor();
  await setUp(page);
  expect(await page.evaluate('document.cookie')).toBe('');
  expect(await page.evaluate('Object.keys(window.muster).sort()')).toEqual([
    'address',
    'closeFeed',
    'onFeed',
    'openFeed',
    'request',
  ]);
  await until(() => expect(labels().join()).toContain('running at http://127.0.0.1:'));
  address = (await page.evaluate('window.muster.address')) as string;
});

test('the policy of the broker holds in the window: no script of another place runs', async () => {
  const page = await consoleWindow().page;
  const refused = await page.evaluate(`new Promise((resolve) => {
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => resolve(violatedDirective), { once: true });
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.head.append(script);
  })`);
  expect(refused).toBe('script-src-elem');
  expect(await page.evaluate('window.injected')).toBeUndefined();
});

test('the bridge refuses what is not an operation, and credentials of the page are dropped', async () => {
  const page = await consoleWindow().page;
  const ask = (request: object) => page.evaluate(`window.muster.request(${JSON.stringify(request)})`);
  expect(await ask({ method: 'GET', url: '/etc/passwd', headers: {} })).toMatchObject({
    ok: false,
    code: 'not_found',
  });
  expect(await ask({ method: 'TRACE', url: '/roster', headers: {} })).toMatchObject({
    ok: false,
    code: 'bad_request',
  });
  const reply = await ask({ method: 'GET', url: '/session', headers: { authorization: 'Bearer wrong' } });
  expect(reply).toMatchObject({ ok: true, value: { status: 200 } });
  expect(JSON.stringify(reply)).not.toContain('svc_session');
});

test('a device that asks to join is in the tray, and opens a window that takes nothing until it is armed', async () => {
  const reply = await fetch(`${address}/enroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ labelHint: 'laptop & more' }),
  });
  const { userCode } = (await reply.json()) as { userCode: string };
  await until(() => expect(labels()).toContain('a device waits for approval'));
  expect(labels()).toContain(`${userCode}  laptop   more`);
  const approval = standin.windows[1]!;
  expect(approval.title).toBe(`${userCode}: a device asks to join (1 of 1)`);
  expect(approval.ignoresMouse).toBe(true);
  await until(() => expect(approval.isShown).toBe(true));
  await (await approval.page).getByText(userCode).first().waitFor();
  await until(() => expect(approval.ignoresMouse).toBe(false));
});

test('a live event reaches the page over the bridge: the device rejected there leaves the tray, its window closes', async () => {
  const approval = standin.windows[1]!;
  const page = await approval.page;
  const code = approval.title.slice(0, 9);
  const reply = await page.evaluate(
    `window.muster.request({ method: 'POST', url: '/enroll/reject', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify({ userCode: code }))} })`,
  );
  expect(reply).toMatchObject({ ok: true });
  await until(() => expect(approval.isDestroyed()).toBe(true));
  await until(() => expect(labels().join()).not.toContain(code));
});

test('closing the console hides it, the tray shows it again, and the join command is copied', async () => {
  consoleWindow().close();
  expect([consoleWindow().isDestroyed(), consoleWindow().isShown]).toEqual([false, false]);
  choose('Open console');
  expect(consoleWindow().isShown).toBe(true);
  choose('Copy join command');
  expect(standin.said).toContain(`clipboard npx svc connect --url ${address}`);
});

test('a link goes to the browser only after its host was shown', async () => {
  const page = await consoleWindow().page;
  standin.answers.push(0);
  await page.evaluate(`window.open('https://example.org/a')`);
  await until(() => expect(standin.said).toContain('external https://example.org/a'));
  expect(standin.said).toContain('box Open example.org in your browser?');
});

test('quits in order: the broker answers no more, then the tray goes, then the process', async () => {
  app.quit();
  await until(() => expect(standin.said.at(-1)).toBe('exit 0'));
  expect(standin.said.slice(-2)).toEqual(['tray gone', 'exit 0']);
  await expect(fetch(`${address}/healthz`)).rejects.toThrow();
});

/** As a person does, with an authenticator. */
async function setUp(page: Page): Promise<void> {
  await page.getByLabel('Name of the team').fill('Harbour');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Your name').fill('ada');
  await page.getByRole('button', { name: 'Set up' }).click();
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  await page.getByLabel('Code it shows now').fill(codeAt(secret, Date.now()));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Harbour is set up').waitFor();
  const body = JSON.stringify({ code: codeAt(secret, Date.now()), member: 'ada' });
  const request = {
    method: 'POST',
    url: '/session/totp',
    headers: { 'content-type': 'application/json' },
    body,
  };
  expect(await page.evaluate(`window.muster.request(${JSON.stringify(request)})`)).toMatchObject({
    ok: true,
    value: { status: 200 },
  });
  await page.getByRole('link', { name: 'Log in' }).click();
  await page.getByRole('navigation').first().waitFor();
}
