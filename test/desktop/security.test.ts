/**
 * The limits that a hostile page, a hostile file, and a second start run into
 * (specification/desktop.md#renderer-and-security).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bridgeCalls, type CallName, channelOf } from '../../electron/bridge.ts';
import { app as engine } from '../standin/electron.ts';
import { standin } from '../standin/standin.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { setUpByHand } from './testing/first-start.ts';
import { homePaths } from './testing/person-home.ts';
import { call } from './testing/prepared-home.ts';
import { until } from './testing/until.ts';

const isReal = process.env.ELECTRON_BIN !== undefined;
const home = mkdtempSync(join(tmpdir(), 'muster-desktop-'));
let app: DesktopApp;
let page: Page;
let own = '';
let address = '';

beforeAll(async () => {
  app = await startDesktop({ home, hasKeychain: true });
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  page = await app.page(0);
  await setUpByHand(page);
  own = new URL(page.url()).origin;
  address = (await page.evaluate('window.muster.address')) as string;
});

afterAll(async () => {
  await app?.close();
  rmSync(home, { recursive: true, force: true });
});

const said = async (): Promise<string> => (await app.said()).join('\n');
/** Returns the session that the vault keeps. The stand-in's keychain reverses it. */
const session = (): string =>
  readFileSync(join(homePaths(home).configDir, 'desktop-session.safe'))
    .reverse()
    .toString();

test('loads everything of the page from its own origin', async () => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.reload();
  await page.getByRole('navigation').first().waitFor();
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.filter((url) => !url.startsWith(`${own}/`) && !/^(?:data|blob):/.test(url))).toEqual([]);
  if (app.isReal) expect(own === 'null' || own.startsWith('muster:')).toBe(true);
});

test('has no unsafe keyword in the policy, which begins with nothing', async () => {
  const policy = (await page.evaluate(
    `fetch('/app').then(({ headers }) => headers.get('content-security-policy'))`,
  )) as string;
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  for (const word of ["script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
    expect(policy).toContain(word);
});

test('gives the page the calls of the list, and no session or token anywhere', async () => {
  expect(await page.evaluate('Object.keys(window.muster).sort()')).toEqual([
    'address',
    'agentKinds',
    'backUpNow',
    'backupState',
    'chooseAgentFolder',
    'chooseAgentProgram',
    'chooseBackupFolder',
    'closeFeed',
    'databaseState',
    'endUpload',
    'exportKey',
    'followAgent',
    'joinObstacle',
    'joinTeam',
    'keyState',
    'lanState',
    'leaveDatabase',
    'listAgents',
    'nameDatabase',
    'onAgents',
    'onCommand',
    'onFeed',
    'openFeed',
    'openUpload',
    'removeAgent',
    'request',
    'restartAgent',
    'sendUpload',
    'setDailyBackup',
    'standbyState',
    'startAgent',
    'stopAgent',
    'stopUpload',
    'takeOverAgent',
    'tellCommands',
    'testDatabase',
    'testJoin',
    'turnLanOff',
    'turnLanOn',
  ]);
  // The vault writes it concurrently with the page.
  if (!isReal) await until(() => expect(session()).toMatch(/^[\w.-]{20,}$/));
  const seen = (await page.evaluate(`(async () => JSON.stringify([
    document.cookie,
    { ...localStorage },
    { ...sessionStorage },
    (await indexedDB.databases()).map(({ name }) => name),
    await window.muster.request({ method: 'GET', url: '/session', headers: {} }),
    [...(await fetch('/app')).headers],
    document.documentElement.outerHTML,
    Object.keys(window),
  ]))()`)) as string;
  if (!isReal) expect(seen).not.toContain(session());
  expect(seen).not.toMatch(/svc_session|set-cookie|"svc_[\w-]{20}/);
  for (const name of ['require', 'process', 'Buffer', 'ipcRenderer', 'electron', 'module'])
    expect(await page.evaluate(`typeof window[${JSON.stringify(name)}]`)).toBe('undefined');
});

test.runIf(!isReal)(
  'refuses each call from a frame, from another origin, and from another window',
  async () => {
    const words = (Object.keys(bridgeCalls) as CallName[]).map(channelOf);
    expect([...standin.handlers.keys()].sort()).toEqual(words.sort());
    const sender = standin.windows[0]!.webContents;
    const frame = { parent: null, url: 'muster://console/app' };
    for (const word of words) {
      const ask = (event: object) => standin.handlers.get(word)?.(event, null);
      for (const event of [
        { sender, senderFrame: { ...frame, parent: frame } },
        { sender, senderFrame: { ...frame, url: 'https://example.org/' } },
        { sender, senderFrame: { ...frame, url: address } },
        { sender, senderFrame: null },
        { sender: {}, senderFrame: frame },
      ])
        expect(await ask(event), word).toMatchObject({ ok: false, code: 'forbidden' });
    }
  },
);

test.runIf(!isReal)('accepts no path, address, or command from the page in any call', async () => {
  const sender = standin.windows[0]!.webContents;
  const event = { sender, senderFrame: { parent: null, url: 'muster://console/app' } };
  const before = (await app.said()).length;
  for (const [word, handler] of standin.handlers)
    for (const argument of [
      '/etc/passwd',
      'https://example.org/',
      { path: '/etc/passwd', url: 'file:///etc/passwd', command: 'sh', id: '../../x' },
      { method: 'GET', url: 'https://example.org/roster', headers: {} },
      { method: 'GET', url: '//example.org/roster', headers: {} },
      { feed: 1, url: 'https://example.org/subscribe' },
      { feed: 1, url: '/fs/read/../../etc/passwd' },
    ])
      expect(await handler(event, argument), word).toMatchObject({ ok: false });
  expect((await app.said()).slice(before)).toEqual([]);
});

test('sends a run’s model requests only to a host that the person was shown', async () => {
  await call(page, 'POST', '/members', {
    name: 'ben',
    role: { title: 'Pilot', description: '' },
    instructions: '',
    permissions: [],
  });
  const work = join(home, 'work');
  mkdirSync(work);
  await app.pickPath(work);
  const { value } = (await page.evaluate('window.muster.chooseAgentFolder()')) as { value: { id: string } };
  const start = {
    member: 'ben',
    kind: 'codex',
    folder: value.id,
    program: null,
    args: [],
    isUnattended: false,
    modelUrl: 'https://models.example/v1',
  };
  expect(await page.evaluate(`window.muster.startAgent(${JSON.stringify(start)})`)).toMatchObject({
    ok: false,
    message: 'the agent was not started: sending its model requests to models.example was not allowed',
  });
  expect(await said()).toContain('box Send the agent’s model requests to models.example?');
});

test.each(['http://127.0.0.1:1/', 'https://example.org/a', 'file:///etc/passwd', 'data:text/html,x'])(
  'does not navigate the window to %s',
  async (target) => {
    const before = page.url();
    await page.evaluate('window.isSame = true');
    await page.evaluate(`location.href = ${JSON.stringify(target)}`).catch(() => undefined);
    await page.evaluate(`location.hash = 'here'`);
    await until(async () => expect(new URL(page.url()).origin).toBe(own));
    expect(await page.evaluate('window.isSame')).toBe(true);
    expect(page.url().split('#')[0]).toBe(before.split('#')[0]);
    expect(await said()).not.toContain('external');
  },
);

test('opens no pop-up, and does not even ask about addresses that are not https', async () => {
  const before = (await app.said()).length;
  for (const target of ['http://plain.example/', 'file:///etc/passwd', 'muster-other://x', 'about:blank'])
    await page.evaluate(`void window.open(${JSON.stringify(target)})`);
  await page.evaluate(`void window.open('https://last.example/')`);
  await until(async () => expect(await said()).toContain('box Open last.example in your browser?'));
  const news = (await app.said()).slice(before);
  // The question of the previous test, about its own address, may still arrive now.
  const asked = news.filter((one) => one.startsWith('box Open') && !one.includes(' example.org '));
  expect(asked).toEqual(['box Open last.example in your browser?']);
  expect(news.filter((one) => one.startsWith('external'))).toEqual([]);
  expect(await app.windows()).toHaveLength(1);
});

test('loads no frame in the page', async () => {
  for (const source of ['https://example.org/', '/app'])
    expect(
      await page.evaluate(`new Promise((resolve) => {
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective), { once: true });
        const frame = document.createElement('iframe');
        frame.src = ${JSON.stringify(source)};
        document.body.append(frame);
      })`),
    ).toMatch(/frame-(?:src|ancestors)/);
  await page.evaluate(`document.querySelectorAll('iframe').forEach((frame) => frame.remove())`);
});

test.runIf(!isReal)('attaches no webview', () => {
  const event = {
    isPrevented: false,
    preventDefault() {
      event.isPrevented = true;
    },
  };
  standin.windows[0]!.webContents.emit('will-attach-webview', event);
  expect(event.isPrevented).toBe(true);
});

test.runIf(!isReal)('denies permissions, except writing to the clipboard by the page itself', () => {
  const { request, check } = standin.permissions;
  const asked = (permission: string, asker: { isMainFrame: boolean; requestingUrl: string }): boolean[] => {
    const answers: boolean[] = [];
    request?.({}, permission, (isGranted) => answers.push(isGranted), asker);
    return [...answers, check?.(null, permission, asker.requestingUrl, asker) ?? true];
  };
  const console = { isMainFrame: true, requestingUrl: 'muster://console/app' };
  for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'usb', 'openExternal'])
    expect(asked(permission, console), permission).toEqual([false, false]);
  expect(asked('clipboard-sanitized-write', console)).toEqual([true, true]);
  expect(asked('clipboard-sanitized-write', { ...console, isMainFrame: false })).toEqual([false, false]);
});

test('downloads a page that a member wrote, and never shows it as a page of the console', async () => {
  const reply = (await page.evaluate(`(async () => {
    const script = '<script>window.isEvil = true; muster.listAgents()</script>';
    await muster.openUpload({ upload: 0, url: '/fs/write?path=/ada/evil.html&mime=text/html' });
    await muster.sendUpload({ upload: 0, bytes: new TextEncoder().encode(script) });
    const { value: written } = await muster.endUpload(0);
    const { headers } = await fetch('/fs/read/ada/evil.html');
    return { status: written.status, disposition: headers.get('content-disposition'), policy: headers.get('content-security-policy') };
  })()`)) as { status: number; disposition: string; policy: string };
  expect(reply).toMatchObject({
    status: 200,
    disposition: expect.stringContaining('attachment'),
    policy: expect.stringContaining('sandbox'),
  });
  const download = page.waitForEvent('download');
  await page.evaluate(`location.href = '/fs/read/ada/evil.html'`);
  await (await download).cancel();
  expect(await page.evaluate('window.isEvil')).toBeUndefined();
  expect(page.url()).not.toContain('evil');
  expect(await said()).not.toContain('path /');
});

test('is one session in the list, which names the desktop app and needs no secret of the page', async () => {
  const { sessions } = (await call(page, 'GET', '/sessions')) as { sessions: object[] };
  expect(sessions).toMatchObject([
    { device: expect.stringMatching(/^Muster desktop app on /), current: true, bound: false },
  ]);
});

test('opens the window from a device’s notification, and approves nothing', async () => {
  const reply = await fetch(`${address}/enroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ labelHint: 'laptop' }),
  });
  const { userCode } = (await reply.json()) as { userCode: string };
  await until(async () => expect((await app.windows())[1]).toMatchObject({ isShown: true }));
  await app.clickNotification('A device asks to join');
  const { enrollments } = (await call(page, 'GET', '/enroll/pending')) as { enrollments: object[] };
  expect(enrollments).toMatchObject([{ userCode }]);
  await call(page, 'POST', '/enroll/reject', { userCode });
  await until(async () => expect((await labelsOf(app)).join()).not.toContain(userCode));
});

test.runIf(!isReal)('reloads a page that crashed once, and asks before it loads it again', async () => {
  const { webContents } = standin.windows[0]!;
  let loads = 0;
  page.on('domcontentloaded', () => (loads += 1));
  webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 });
  await until(() => expect(loads).toBe(1));
  await page.getByRole('navigation').first().waitFor();
  await app.answer(0);
  webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 });
  await until(async () => expect((await app.said()).join()).toContain('box This page ended unexpectedly'));
  await until(() => expect(loads).toBe(2));
  await page.getByRole('navigation').first().waitFor();
});

test.runIf(!isReal)('shows the console of the running app when it is launched again', async () => {
  await app.closeWindow(0);
  expect((await app.windows())[0]).toMatchObject({ isShown: false, isGone: false });
  engine.emit('second-instance');
  expect((await app.windows())[0]).toMatchObject({ isShown: true });
});

test('sends bye to streams when it quits', async () => {
  const made = (await call(page, 'POST', '/members/ben/rotate-token')) as { token: string };
  const stream = await fetch(`${address}/subscribe?name=ben`, {
    headers: { authorization: `Bearer ${made.token}` },
  });
  expect(stream.status).toBe(200);
  const text = stream.text();
  await app.quit();
  expect(await text).toContain('event: bye');
  await until(async () => expect((await app.said()).at(-1)).toBe('exit 0'));
});

test.runIf(!isReal)(
  'ends a start without the lock of the running app at once, without touching anything',
  async () => {
    await app.close();
    engine.requestSingleInstanceLock = () => false;
    try {
      app = await startDesktop({ home: join(home, 'second') });
      expect((await app.said()).at(-1)).toBe('exit 0');
      expect([standin.windows, standin.trays]).toEqual([[], []]);
    } finally {
      engine.requestSingleInstanceLock = () => true;
    }
  },
);
