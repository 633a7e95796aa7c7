/**
 * The built app in the real engine. A recorder that is loaded first records what Playwright cannot see (tray,
 * dialogs, notifications).
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { root } from '../../testing/build-once.ts';
import { builtDesktop } from './built-desktop.ts';
import type { Engine, EngineOptions, MenuView, WindowView } from './engine.ts';
import { until } from './until.ts';

const recorder = fileURLToPath(new URL('./recorder.cjs', import.meta.url));

/** Chromium’s switches that keep it from asking the keychain of the person who runs the tests (keychain.ts). */
const plainStore =
  process.platform === 'linux'
    ? ['--password-store=basic']
    : process.platform === 'darwin'
      ? ['--use-mock-keychain']
      : [];

/** The interface of recorder.cjs in the app's main process. */
interface Recorded {
  tray(): MenuView[];
  appMenu(): MenuView[];
  chooseAt(choice: { menu: 'tray' | 'app'; path: readonly number[] }): void;
  windows(): WindowView[];
  closeWindow(at: number): void;
  idOf(at: number): number;
  said: string[];
  answers: number[];
  paths: string[];
  clickNotification(title: string): void;
  power(event: string): void;
}
type Main = typeof globalThis & { recorded: Recorded };

export async function startEngine({ env, args = [] }: EngineOptions): Promise<Engine> {
  await builtDesktop();
  const app: ElectronApplication = await _electron.launch({
    executablePath: process.env.ELECTRON_BIN ?? '',
    args: ['-r', recorder, ...plainStore, root, ...args],
    cwd: root,
    env: Object.fromEntries(
      Object.entries({ ...process.env, ...env }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  });
  let last: string[] = [];
  let hasEnded = false;
  app.process().once('exit', (code) => {
    hasEnded = true;
    last.push(`exit ${code}`);
  });
  const said = async (): Promise<string[]> => {
    if (!hasEnded)
      last = await app.evaluate(() => [...(globalThis as Main).recorded.said]).catch(() => [...last]);
    return [...last];
  };
  return {
    tray: () => app.evaluate(() => (globalThis as Main).recorded.tray()),
    appMenu: () => app.evaluate(() => (globalThis as Main).recorded.appMenu()),
    chooseAt: (menu, path) =>
      app.evaluate((_, choice) => (globalThis as Main).recorded.chooseAt(choice), { menu, path }),
    windows: () => app.evaluate(() => (globalThis as Main).recorded.windows()),
    page: (at) =>
      until(async () => {
        const id = await app.evaluate((_, one) => (globalThis as Main).recorded.idOf(one), at);
        const page = await pageOf(app, id);
        if (page === undefined) throw new Error(`the page of window ${at} is not there`);
        return page;
      }),
    closeWindow: (at) => app.evaluate((_, one) => (globalThis as Main).recorded.closeWindow(one), at),
    said,
    answer: (button) =>
      app.evaluate((_, one) => void (globalThis as Main).recorded.answers.push(one), button),
    pickPath: (path) => app.evaluate((_, one) => void (globalThis as Main).recorded.paths.push(one), path),
    clickNotification: (title) =>
      app.evaluate((_, one) => (globalThis as Main).recorded.clickNotification(one), title),
    power: (event) => app.evaluate((_, one) => (globalThis as Main).recorded.power(one), event),
    signal: async (name) => void app.process().kill(name),
    fail: (message) => app.evaluate((_, text) => void Promise.reject(new Error(text)), message),
    launchAgain: () => app.evaluate(({ app: electron }) => void electron.emit('second-instance')),
    async quit() {
      await said();
      await app.evaluate(({ app: electron }) => electron.quit()).catch(() => undefined);
    },
    async close() {
      if (!hasEnded) await app.close();
    },
  };
}

async function pageOf(app: ElectronApplication, id: number): Promise<Page | undefined> {
  for (const page of app.windows()) {
    const window = await app.browserWindow(page);
    if ((await window.evaluate((one: { id: number }) => one.id)) === id) return page;
  }
  return undefined;
}
