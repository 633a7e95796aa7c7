/** The app from its first file to its end: tray, windows, the page's bridge, approvals, and quitting. */
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBearerCache } from '#client/bearer-cache.ts';
import { armingMs } from '../../electron/approval-queue.rules.ts';
import { standin } from '../standin/standin.ts';
import { builtDocs } from '../testing/built-docs.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { setUpByHand } from './testing/first-start.ts';
import { until } from './testing/until.ts';

let app: DesktopApp;
let address = '';

beforeAll(async () => {
  await builtDocs();
  app = await startDesktop({ hasKeychain: true });
});

afterAll(() => app.close());

test('starts in the sandbox, with its scheme, and says in the tray that it waits for the setup', async () => {
  if (!app.isReal) {
    expect(standin.isSandboxed).toBe(true);
    expect(standin.privileged.map(({ scheme }) => scheme)).toEqual(['muster']);
  }
  await until(async () => expect(await labelsOf(app)).toContain('Not set up yet'));
  expect(await labelsOf(app)).toContain('Set up…');
});

test('opens the console at the first setup, through its scheme, and the page sees no token', async () => {
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  const page = await app.page(0);
  await setUpByHand(page);
  expect(await page.evaluate('document.cookie')).toBe('');
  await until(async () => expect((await labelsOf(app)).join()).toContain('Running'));
  address = (await page.evaluate('window.muster.address')) as string;
});

test('saves the owner’s token for commands of this person, and serves the documentation', async () => {
  const kept = await createBearerCache({ path: app.paths.authPath }).find(address);
  const headers = { authorization: `Bearer ${kept?.token}` };
  const roster = await fetch(`${address}/roster`, { headers });
  expect(await roster.json()).toMatchObject({ teammates: [{ name: 'ada' }] });
  expect((await fetch(`${address}/docs/`)).status).toBe(200);
});

test('enforces the broker’s policy in the window: no foreign script runs', async () => {
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

test('refuses bridge requests that are not operations, and drops credentials of the page', async () => {
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

test('shows a device that asks to join in the tray, and opens a window that ignores clicks until it is armed', async () => {
  const { userCode } = await enroll('laptop & more');
  await until(async () => expect(await labelsOf(app)).toContain('1 device is waiting'));
  expect(await labelsOf(app)).toContain(`${userCode}  laptop   more`);
  await until(async () =>
    expect((await app.windows())[1]).toMatchObject({
      title: `${userCode}: a device asks to join (1 of 1)`,
      isShown: true,
    }),
  );
  await (await app.page(1)).getByText(userCode).first().waitFor();
  expect((await app.page(1)).viewportSize() ?? { width: 440, height: 600 }).toEqual({
    width: 440,
    height: 600,
  });
  if (!app.isReal) {
    // The window itself recorded the moment, which may be over on a slow machine.
    const { changes } = standin.windows[1]!;
    const armed = ['ignores the mouse', 'shown', 'takes the mouse'];
    await until(() => expect(changes.slice(-3).map(({ what }) => what)).toEqual(armed));
    const [, shown, taken] = changes.slice(-3);
    expect(taken!.at - shown!.at).toBeGreaterThan(armingMs / 2);
    // A person who chooses the code in the tray may click where the window then is.
    const before = changes.length;
    await app.choose(userCode);
    await until(() => expect(changes.slice(before).map(({ what }) => what)).toEqual(armed));
  }
});

test.runIf(process.env.ELECTRON_BIN === undefined)(
  'shows who asks, the deciding field, and the buttons of a waiting device at every size',
  async () => {
    const page = await app.page(1);
    for (const size of [
      { width: 404, height: 321 },
      { width: 440, height: 600 },
      { width: 700, height: 700 },
    ]) {
      await page.setViewportSize(size);
      const footer = await page.getByRole('button', { name: 'Approve device' }).boundingBox();
      expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeLessThanOrEqual(size.height);
      for (const part of [
        page.getByText('127.0.0.1'),
        page.getByText('Program'),
        page.getByLabel('Member', { exact: true }),
      ]) {
        const box = await part.first().boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(footer?.y ?? 0);
      }
    }
  },
);

test('approves nothing on Enter, and rejects with a reason: the device leaves the tray, and its window closes', async () => {
  const code = (await app.windows())[1]!.title.slice(0, 9);
  const page = await app.page(1);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Reject…' }).click();
  await page.getByLabel('Reason').fill('not one of ours');
  expect(await labelsOf(app)).toContain('1 device is waiting');
  await page.getByRole('button', { name: 'Reject device' }).click();
  await until(async () => expect((await app.windows())[1]).toMatchObject({ isGone: true }));
  await until(async () => expect((await labelsOf(app)).join()).not.toContain(code));
});

test('queues two devices: approving the first shows the second, and the device gets its token', async () => {
  const [first, second] = [await enroll('first'), await enroll('second')];
  await until(async () => expect(await labelsOf(app)).toContain('2 devices are waiting'));
  await until(async () => expect((await app.windows())[2]?.title).toContain('(1 of 2)'));
  const page = await app.page(2);
  await page.getByText('1 of 2').waitFor();
  await until(async () =>
    expect(await page.evaluate('document.activeElement.textContent')).toBe(first.userCode),
  );
  await page.getByLabel('New member').check();
  await page.getByRole('textbox', { name: 'Name' }).fill('ben');
  await page.getByLabel('Role', { exact: true }).fill('Engineer');
  await page.getByRole('button', { name: 'Approve device' }).click();
  await until(async () => expect((await app.windows()).at(-1)?.title).toContain(second.userCode));
  const reply = await fetch(`${address}/enroll/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ deviceCode: first.deviceCode }),
  });
  expect(await reply.json()).toMatchObject({ member: { name: 'ben', permissions: [] } });
  await app.closeWindow((await app.windows()).length - 1);
});

test('counts in the tray what needs the member, and leads to the inbox', async () => {
  const kept = await createBearerCache({ path: app.paths.authPath }).find(address);
  const send = async (bearer: string | undefined, path: string, body?: object) => {
    const reply = await fetch(address + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await reply.json()) as { token: string; items: unknown[] };
  };
  const cy = { name: 'cy', role: { title: 'Pilot', description: '' }, instructions: '', permissions: [] };
  const { token } = await send(kept?.token, '/members', cy);
  const { items: before } = await send(kept?.token, '/inbox');
  await send(token, '/push', { to: 'ada', body: 'Look at the sail' });
  const label = `Inbox (${before.length + 1})`;
  await until(async () => expect(await labelsOf(app)).toContain(label));
  await app.choose(label);
  await until(async () => expect(new URL((await app.page(0)).url()).pathname).toBe('/app'));
  await (await app.page(0)).getByText('1 direct message from cy').waitFor();
  await (await app.page(0)).getByRole('link', { name: /^1 direct message from cy/ }).click();
  await until(async () => expect(await labelsOf(app)).not.toContain(label));
});

test('hides the console when it is closed, shows it again from the tray', async () => {
  await app.closeWindow(0);
  expect((await app.windows())[0]).toMatchObject({ isGone: false, isShown: false });
  await app.choose('Open console');
  expect((await app.windows())[0]).toMatchObject({ isShown: true });
});

test('opens a link in the browser only after its host was shown', async () => {
  const page = await app.page(0);
  await app.answer(0);
  await page.evaluate(`window.open('https://example.org/a')`);
  await until(async () => expect(await app.said()).toContain('external https://example.org/a'));
  expect(await app.said()).toContain('box Open example.org in your browser?');
});

test('quits in order: the broker stops answering, then the tray goes, then the process', async () => {
  await app.quit();
  await until(async () => expect((await app.said()).at(-1)).toBe('exit 0'));
  expect((await app.said()).slice(-2)).toEqual(['tray gone', 'exit 0']);
  await expect(fetch(`${address}/healthz`)).rejects.toThrow();
});

async function enroll(labelHint: string): Promise<{ userCode: string; deviceCode: string }> {
  const reply = await fetch(`${address}/enroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ labelHint }),
  });
  return (await reply.json()) as { userCode: string; deviceCode: string };
}
