/** The app from its first file to its end: tray, windows, the page's bridge, approvals, quitting. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { standin } from '../standin/electron.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { setUpByHand } from './testing/first-start.ts';
import { until } from './testing/until.ts';

let app: DesktopApp;
let address = '';

beforeAll(async () => {
  app = await startDesktop({ hasKeychain: true });
}, 120_000);

afterAll(() => app.close());

test('starts in the sandbox, with its scheme, and says in the tray that it waits to be set up', async () => {
  if (!app.isReal) {
    expect(standin.isSandboxed).toBe(true);
    expect(standin.privileged.map(({ scheme }) => scheme)).toEqual(['muster']);
  }
  await until(async () => expect(await labelsOf(app)).toContain('waiting to be set up'));
  expect(await labelsOf(app)).toContain('Set up…');
});

test('opens the console at the first set-up, through its scheme, and the page sees no token', async () => {
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  const page = await app.page(0);
  await setUpByHand(page);
  expect(await page.evaluate('document.cookie')).toBe('');
  await until(async () => expect((await labelsOf(app)).join()).toContain('running at http://127.0.0.1:'));
  address = (await page.evaluate('window.muster.address')) as string;
});

test('the policy of the broker holds in the window: no script of another place runs', async () => {
  const page = await app.page(0);
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
  const page = await app.page(0);
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
  await until(async () => expect(await labelsOf(app)).toContain('a device waits for approval'));
  expect(await labelsOf(app)).toContain(`${userCode}  laptop   more`);
  await until(async () =>
    expect((await app.windows())[1]).toMatchObject({
      title: `${userCode}: a device asks to join (1 of 1)`,
      isShown: true,
    }),
  );
  await (await app.page(1)).getByText(userCode).first().waitFor();
  if (!app.isReal) {
    expect(standin.windows[1]?.ignoresMouse).toBe(true);
    await until(() => expect(standin.windows[1]?.ignoresMouse).toBe(false));
  }
});

test('a live event reaches the page over the bridge: the device rejected there leaves the tray, its window closes', async () => {
  const code = (await app.windows())[1]!.title.slice(0, 9);
  const reply = await (await app.page(1)).evaluate(
    `window.muster.request({ method: 'POST', url: '/enroll/reject', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify({ userCode: code }))} })`,
  );
  expect(reply).toMatchObject({ ok: true });
  await until(async () => expect((await app.windows())[1]).toMatchObject({ isGone: true }));
  await until(async () => expect((await labelsOf(app)).join()).not.toContain(code));
});

test('closing the console hides it, the tray shows it again, and the join command is copied', async () => {
  await app.closeWindow(0);
  expect((await app.windows())[0]).toMatchObject({ isGone: false, isShown: false });
  await app.choose('Open console');
  expect((await app.windows())[0]).toMatchObject({ isShown: true });
  await app.choose('Copy join command');
  expect(await app.said()).toContain(`clipboard npx svc connect --url ${address}`);
});

test('a link goes to the browser only after its host was shown', async () => {
  const page = await app.page(0);
  await app.answer(0);
  await page.evaluate(`window.open('https://example.org/a')`);
  await until(async () => expect(await app.said()).toContain('external https://example.org/a'));
  expect(await app.said()).toContain('box Open example.org in your browser?');
});

test('quits in order: the broker answers no more, then the tray goes, then the process', async () => {
  await app.quit();
  await until(async () => expect((await app.said()).at(-1)).toBe('exit 0'));
  expect((await app.said()).slice(-2)).toEqual(['tray gone', 'exit 0']);
  await expect(fetch(`${address}/healthz`)).rejects.toThrow();
});
