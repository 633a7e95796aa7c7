/**
 * Updates from the feed with which the app was packaged (electron-builder writes it to `app-update.yml`).
 * Without a feed, it does nothing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AppUpdater } from 'electron-updater';
import { reasonOf } from '#platform/error-text.ts';
import { nextUpdateState, type UpdateEvent, type UpdateState } from './updates.rules.ts';

export interface Updates {
  readonly state: UpdateState;
  check(): void;
  /**
   * Installs a downloaded update and starts the app again, which ends this process. Call it after everything
   * else has ended. Rejects if nothing is ready, if the installer reports an error, or if the process still runs
   * after a minute (on macOS, which unpacks and checks the update only then, after five).
   */
  install(): Promise<never>;
  close(): void;
}

/** The part of electron-updater that is used. */
export type Updater = Pick<
  AppUpdater,
  'logger' | 'autoInstallOnAppQuit' | 'on' | 'once' | 'checkForUpdates' | 'quitAndInstall'
>;

export interface UpdatesDeps {
  isPackaged: boolean;
  resourcesPath: string;
  onChange(): void;
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** The module reads properties of the running app when it is loaded. */
  load?: () => Promise<Updater>;
  installLimitMs?: number;
}

const minuteMs = 60_000;
const firstCheckDelayMs = minuteMs;
const checkIntervalMs = 360 * minuteMs;

export async function createUpdates({
  isPackaged,
  resourcesPath,
  onChange,
  log,
  load = async () => (await import('electron-updater')).default.autoUpdater,
  installLimitMs = process.platform === 'darwin' ? 5 * minuteMs : minuteMs,
}: UpdatesDeps): Promise<Updates> {
  if (!isPackaged || !existsSync(join(resourcesPath, 'app-update.yml'))) return withoutFeed;
  const updater = await load();
  let state: UpdateState = { kind: 'idle' };
  const become = (event: UpdateEvent): void => {
    state = nextUpdateState(state, event);
    onChange();
  };
  const fail = (error: unknown): void => {
    log.warn({ err: error }, 'the update failed');
    become({ kind: 'error', reason: reasonOf(error) });
  };
  updater.logger = null;
  // An update is installed only when the person chooses it.
  updater.autoInstallOnAppQuit = false;
  updater.on('update-available', ({ version }) => become({ kind: 'available', version }));
  updater.on('update-not-available', ({ version }) => become({ kind: 'none', version }));
  updater.on('download-progress', ({ percent }) => become({ kind: 'progress', percent }));
  // A download that breaks off is reported only here. Without a listener, it would be an uncaught exception.
  updater.on('error', fail);
  updater.on('update-downloaded', ({ version }) => {
    log.info({ version }, 'an update is ready');
    become({ kind: 'loaded', version });
  });
  function check(): void {
    become({ kind: 'check' });
    updater
      .checkForUpdates()
      .then((found) => found?.downloadPromise)
      .catch((error: unknown) => become({ kind: 'error', reason: reasonOf(error) }));
  }
  const timers = [setTimeout(check, firstCheckDelayMs), setInterval(check, checkIntervalMs)];
  for (const timer of timers) timer.unref();
  return {
    get state() {
      return state;
    },
    check,
    install: () =>
      new Promise((_resolve, reject) => {
        if (state.kind !== 'ready') return reject(new Error('no update is ready'));
        updater.once('error', reject);
        setTimeout(() => reject(new Error('the installer did not end the app')), installLimitMs);
        updater.quitAndInstall(true, true);
      }),
    close() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

const withoutFeed: Updates = {
  state: { kind: 'absent' },
  check: () => undefined,
  install: () => Promise.reject(new Error('this app has no feed of updates')),
  close: () => undefined,
};
