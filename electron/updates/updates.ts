/** Updates from the feed that the app was packed with (electron-builder writes it to `app-update.yml`); without one there is nothing here. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '#platform/error-text.ts';
import { nextUpdateState, type UpdateEvent, type UpdateState } from './updates.rules.ts';

export interface Updates {
  readonly state: UpdateState;
  check(): void;
  /** Installs what is ready, and starts the app again; called when everything of this one has ended. False: nothing is ready. */
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
  // The module looks for the running app when it is loaded.
  const { default: updater } = await import('electron-updater');
  const { autoUpdater } = updater;
  let state: UpdateState = { kind: 'idle' };
  const become = (event: UpdateEvent): void => {
    state = nextUpdateState(state, event);
    onChange();
  };
  autoUpdater.logger = null;
  // Ended by our own order, the engine's `quit` comes too late for what the updater would do by itself.
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
      log.warn({ err: error }, 'updates could not be checked');
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
