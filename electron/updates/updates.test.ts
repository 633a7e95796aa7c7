import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createUpdates, type Updater } from './updates.ts';

/**
 * electron-updater 6.8 as its sources say (`AppUpdater.js`, `BaseUpdater.js`): a failed check or download emits
 * `error` and also rejects; an installer that fails emits `error`, or leaves the process running without a word.
 */
class StandinUpdater extends EventEmitter {
  logger: unknown = console;
  autoInstallOnAppQuit = true;
  installs = 0;
  whenInstalling = (): void => undefined;
  found: { downloadPromise: Promise<string[]> | null } | null = null;
  async checkForUpdates() {
    return this.found;
  }
  quitAndInstall(): void {
    this.installs += 1;
    this.whenInstalling();
  }
  fail(error: Error): Promise<never> {
    this.emit('error', error);
    return Promise.reject(error);
  }
}

let folder: string;
let updater: StandinUpdater;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-updates-'));
  writeFileSync(join(folder, 'app-update.yml'), 'provider: generic\n');
  updater = new StandinUpdater();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = { info: () => undefined, warn: () => undefined };
const create = (installLimitMs = 60_000) =>
  createUpdates({
    isPackaged: true,
    resourcesPath: folder,
    onChange: () => undefined,
    log,
    load: async () => updater as unknown as Updater,
    installLimitMs,
  });

test('never installs when the app merely quits', async () => {
  await create();
  expect(updater.autoInstallOnAppQuit).toBe(false);
});

test('a download that breaks off ends “Downloading”, and can be tried again', async () => {
  const updates = await create();
  const downloading = Promise.withResolvers<string[]>();
  updater.found = { downloadPromise: downloading.promise };
  updates.check();
  updater.emit('update-available', { version: '2.0.0' });
  updater.emit('download-progress', { percent: 40 });
  expect(updates.state).toMatchObject({ kind: 'loading', percent: 40 });
  const error = new Error('the connection was reset');
  updater.emit('error', error);
  downloading.reject(error);
  await expect.poll(() => updates.state).toEqual({ kind: 'failed', reason: 'the connection was reset' });
  updates.close();
});

test('reports a check that fails', async () => {
  const updates = await create();
  updater.checkForUpdates = () => updater.fail(new Error('no such feed'));
  updates.check();
  await expect.poll(() => updates.state).toEqual({ kind: 'failed', reason: 'no such feed' });
  updates.close();
});

test('reports that nothing is ready, without starting an installer', async () => {
  const updates = await create();
  await expect(updates.install()).rejects.toThrow('no update is ready');
  expect(updater.installs).toBe(0);
});

test('reports an installer that fails', async () => {
  const updates = await create();
  updater.emit('update-downloaded', { version: '2.0.0' });
  updater.whenInstalling = () => void updater.emit('error', new Error('the signature is wrong'));
  await expect(updates.install()).rejects.toThrow('the signature is wrong');
});

test('reports an installer that does nothing', async () => {
  const updates = await create(1);
  updater.emit('update-downloaded', { version: '2.0.0' });
  await expect(updates.install()).rejects.toThrow('the installer did not end the app');
});
