/** How the app starts, fails, and ends. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { BrowserWindow, dialog, app as engine } from '../standin/electron.ts';
import { standin } from '../standin/standin.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp, DesktopOptions } from './testing/engine.ts';
import { until } from './testing/until.ts';

let home: string;
beforeEach(({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-life-'));
  home = folder;
  // After the app that the test starts, whose windows also write there.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

async function start(options: DesktopOptions = {}): Promise<DesktopApp> {
  const app = await startDesktop({ home, ...options });
  onTestFinished(() => app.close());
  return app;
}
const untilSaid = (app: DesktopApp, line: string) =>
  until(async () => expect(await app.said()).toContain(line));
const reports = (app: DesktopApp): { error: { message: string } }[] => {
  const folder = app.paths.logsDir;
  return readdirSync(folder)
    .filter((name) => name.startsWith('crash-'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
};

async function takePort(): Promise<{ port: string; server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: String(typeof address === 'object' ? address?.port : ''), server };
}
const release = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

test('says why it cannot start if not even its folders can be made, and ends with exit code 1', async ({
  skip,
}) => {
  if (process.platform !== 'linux') skip('the folder of the configuration has another name');
  writeFileSync(join(home, 'config'), 'not a folder');
  const app = await start();
  await untilSaid(app, 'exit 1');
  const boxes = (await app.said()).filter((line) => line.startsWith('box '));
  expect(boxes).toEqual([expect.stringMatching(/^box Muster could not be started: .*ENOTDIR|EEXIST/)]);
});

test('says why it cannot start if a part fails, writes a report, and ends with exit code 1', async ({
  skip,
}) => {
  if (process.env.ELECTRON_BIN !== undefined) skip('the failure is made in the stand-in');
  // The folder of the pictures cannot be found once the log is there.
  const found = vi.spyOn(engine, 'getAppPath').mockImplementationOnce(() => standin.appPath);
  found.mockImplementation(() => {
    throw new Error('the disk is gone');
  });
  onTestFinished(() => found.mockRestore());
  const app = await start();
  await untilSaid(app, 'exit 1');
  expect((await app.said()).filter((line) => line.startsWith('box '))).toEqual([
    'box Muster could not be started',
  ]);
  expect(reports(app)).toMatchObject([{ error: { message: 'the disk is gone' } }]);
});

test('a promise that nobody catches is reported, and the app ends with exit code 1', async () => {
  const app = await start();
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  await app.answer(1);
  await app.fail('something broke');
  await untilSaid(app, 'exit 1');
  expect(await app.said()).toContain('box Muster encountered an unexpected error.');
  expect(await app.said()).not.toContain('relaunch');
  expect(reports(app)).toMatchObject([{ error: { message: 'something broke' } }]);
});

test('shows why its broker could not start, and tries again from the window', async () => {
  const { port, server } = await takePort();
  const app = await start({ env: { SVC_PORT: port }, args: ['--hidden'] });
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  const page = await app.page(0);
  await page.getByText('the port is in use').waitFor();
  await page.getByText('listen.port in svc.json').waitFor();
  expect(await labelsOf(app)).toEqual(expect.arrayContaining(['Not running', 'Show why…', 'Try again']));
  await page.getByRole('link', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Try again' }).waitFor();
  await release(server);
  await page.getByRole('link', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Set up Muster' }).waitFor();
  expect((await app.said()).filter((line) => line.startsWith('box '))).toEqual([]);
});

test('shows the window of a broker that could not start when the app is started again, or from the tray', async () => {
  const { port, server } = await takePort();
  const app = await start({ env: { SVC_PORT: port } });
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  for (const show of [() => app.launchAgain(), () => app.choose('Show why…')]) {
    await app.closeWindow(0);
    expect(await app.windows()).toMatchObject([{ isShown: false }]);
    await show();
    expect(await app.windows()).toMatchObject([{ isShown: true }]);
  }
  await release(server);
  await app.choose('Try again');
  await (await app.page(0)).getByRole('heading', { name: 'Set up Muster' }).waitFor();
});

test.each(['SIGTERM', 'SIGHUP'] as const)('ends on %s without asking, in order', async (signal) => {
  const app = await start();
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  let questions = 0;
  engine.on('before-quit', () => {
    questions += 1;
  });
  await app.signal(signal);
  await untilSaid(app, 'exit 0');
  // The events of the real engine cannot be counted from outside.
  expect(questions).toBe(0);
  expect((await app.said()).slice(-2)).toEqual(['tray gone', 'exit 0']);
});

test('opens the console if the person starts the app again while it starts at login', async () => {
  const app = await start({ args: ['--hidden'] });
  await app.launchAgain();
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  await (await app.page(0)).getByRole('heading', { name: 'Set up Muster' }).waitFor();
  expect(await app.windows()).toHaveLength(1);
});

test('is in the dock of macOS while the console is open', async ({ skip }) => {
  if (process.env.ELECTRON_BIN !== undefined) skip('the dock is that of the stand-in');
  const dock: string[] = [];
  engine.dock = { show: async () => void dock.push('show'), hide: () => void dock.push('hide') };
  onTestFinished(() => {
    engine.dock = undefined;
  });
  const app = await start();
  await until(() => expect(dock).toEqual(['show']));
  await app.closeWindow(0);
  expect(dock).toEqual(['show', 'hide']);
});

test('goes on serving if it fails once the broker runs, until the person has seen why', async ({ skip }) => {
  if (process.env.ELECTRON_BIN !== undefined) skip('the failure is made in the stand-in');
  const { port, server } = await takePort();
  await release(server);
  let answer = (): void => undefined;
  const box = vi.spyOn(dialog, 'showMessageBox').mockImplementation(
    () =>
      new Promise((resolve) => {
        answer = () => resolve({ response: 0 });
      }),
  );
  const open = vi.spyOn(BrowserWindow.prototype, 'loadURL').mockImplementation(() => {
    throw new Error('no window');
  });
  onTestFinished(() => {
    box.mockRestore();
    open.mockRestore();
  });
  const app = await start({ env: { SVC_PORT: port } });
  await until(() => expect(box).toHaveBeenCalled());
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  answer();
  await untilSaid(app, 'exit 1');
});

test('closes what it has opened if it is ended while it starts', async () => {
  const app = await start();
  await app.quit();
  await untilSaid(app, 'exit 0');
  await app.close();
  const again = await start();
  await until(async () => expect(await labelsOf(again)).toContain('Not set up yet'));
});

test('holds up the shutdown of the system until everything has ended', async () => {
  const app = await start();
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  await app.power('shutdown');
  await untilSaid(app, 'exit 0');
  expect(await app.said()).not.toContain('killed by the system');
});

test('does not run without the sandbox once it is packed', async ({ skip }) => {
  if (process.env.ELECTRON_BIN !== undefined) skip('the engine is not packed');
  standin.switches.add('no-sandbox');
  engine.isPackaged = true;
  onTestFinished(() => {
    standin.switches.clear();
    engine.isPackaged = false;
  });
  const app = await start();
  await untilSaid(app, 'exit 1');
  expect(await app.said()).toContainEqual(
    expect.stringContaining('box Muster does not run without its sandbox'),
  );
  expect(await app.windows()).toEqual([]);
});
