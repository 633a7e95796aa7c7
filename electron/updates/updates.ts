/**
 * Updates from the feed with which the app was packaged (electron-builder writes it to `app-update.yml`).
 * Without a feed, it does nothing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '#platform/error-text.ts';
import { nextUpdateState, type UpdateEvent, type UpdateState } from './updates.rules.ts';

export interface Updates {
  readonly state: UpdateState;
  check(): void;
  /**
   * Installs a downloaded update and starts the app again. Call it after everything else has ended. Returns
   * false if no update is ready.
   */
  install(): boolean;
  close(): void;
}

export interface UpdatesDeps {
  isPackaged: boolean;
  resourcesPath: string;
  onChange(): void;
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

const firstCheckDelayMs = 60_000;
const checkIntervalMs = 6 * 3_600_000;

export async function createUpdates({
  isPackaged,
  resourcesPath,
  onChange,
  log,
}: UpdatesDeps): Promise<Updates> {
  if (!isPackaged || !existsSync(join(resourcesPath, 'app-update.yml'))) return withoutFeed;
  // The module reads properties of the running app when it is loaded.
  const { default: updater } = await import('electron-updater');
  const { autoUpdater } = updater;
  let state: UpdateState = { kind: 'idle' };
  const become = (event: UpdateEvent): void => {
    state = nextUpdateState(state, event);
    onChange();
  };
  autoUpdater.logger = null;
  // The app ends its parts itself, so Electron's `quit` event comes too late for the updater to install by
  // itself.
  autoUpdater.autoInstallOnAppQuit = false;
  autoUpdater.on('update-available', ({ version }) => become({ kind: 'available', version }));
  autoUpdater.on('update-not-available', ({ version }) => become({ kind: 'none', version }));
  autoUpdater.on('download-progress', ({ percent }) => become({ kind: 'progress', percent }));
  autoUpdater.on('update-downloaded', ({ version }) => {
    log.info({ version }, 'an update is ready');
    become({ kind: 'loaded', version });
  });
  function check(): void {
    become({ kind: 'check' });
    autoUpdater.checkForUpdates().catch((error: unknown) => {
      log.warn({ err: error }, 'the check for updates failed');
      become({ kind: 'error', reason: reasonOf(error) });
    });
  }
  const timers = [setTimeout(check, firstCheckDelayMs), setInterval(check, checkIntervalMs)];
  for (const timer of timers) timer.unref();
  return {
    get state() {
      return state;
    },
    check,
    install() {
      if (state.kind !== 'ready') return false;
      autoUpdater.quitAndInstall(true, true);
      return true;
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

const withoutFeed: Updates = {
  state: { kind: 'absent' },
  check: () => undefined,
  install: () => false,
  close: () => undefined,
};
