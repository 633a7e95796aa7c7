/**
 * The entry point of the app. It contains only what must run before Electron is ready: paths, the sandbox,
 * the scheme, and the single-instance lock.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { app, protocol } from 'electron';
import { configuredStores } from '#platform/store-places.ts';
import { appPaths } from '#protocol/paths.ts';
import { consoleScheme } from './console-origin.rules.ts';
import { createDesktop, type Desktop } from './desktop.ts';
import { lacksSandbox, showMissingSandbox } from './start-failure.ts';

const { platform, env } = process;
const usual = appPaths({ platform, env, home: homedir() });
const named = configuredStores(usual.configPath);
const paths = {
  ...usual,
  mainDbPath: env.SVC_DB_PATH || (named.main ?? usual.mainDbPath),
  activityDbPath: env.SVC_ACTIVITY_DB_PATH || (named.activity ?? usual.activityDbPath),
};

app.setPath('userData', join(paths.dataDir, 'desktop'));
// As `appId` in electron-builder.yml. Notifications and the taskbar of Windows group by it.
if (platform === 'win32') app.setAppUserModelId('dev.muster.desktop');
app.enableSandbox();
protocol.registerSchemesAsPrivileged([
  {
    scheme: consoleScheme,
    privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
  },
]);

if (app.requestSingleInstanceLock()) {
  let desktop: Desktop | null = null;
  let isConsoleWanted = false;
  const openConsole = (): void => {
    isConsoleWanted = true;
    desktop?.openConsole();
  };
  app.on('second-instance', openConsole);
  app.on('activate', openConsole);
  // The app lives in the tray. Without this listener, Electron would quit when the last window closes.
  app.on('window-all-closed', () => undefined);
  app.on('before-quit', (event) => {
    if (desktop === null || desktop.hasEnded) return;
    event.preventDefault();
    void desktop.askToQuit();
  });
  // Until then, signals quit at once, because there is nothing to end yet.
  void app.whenReady().then(() => {
    if (lacksSandbox()) {
      showMissingSandbox();
      app.exit(1);
      return;
    }
    desktop = createDesktop(paths, env);
    if (isConsoleWanted) desktop?.openConsole();
  });
} else {
  app.quit();
}
