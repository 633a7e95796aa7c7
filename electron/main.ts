/**
 * The entry point of the app. It contains only what must run before Electron is ready: paths, the sandbox,
 * the scheme, and the single-instance lock.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { app, protocol } from 'electron';
import { appPaths } from '#protocol/paths.ts';
import { consoleScheme } from './console-origin.rules.ts';
import { type Desktop, startDesktop } from './desktop.ts';

const { platform, env } = process;
const paths = appPaths({ platform, env, home: homedir() });

app.setPath('userData', join(paths.dataDir, 'desktop'));
app.enableSandbox();
protocol.registerSchemesAsPrivileged([
  {
    scheme: consoleScheme,
    privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
  },
]);

if (app.requestSingleInstanceLock()) {
  let desktop: Desktop | null = null;
  app.on('second-instance', () => desktop?.openConsole());
  app.on('activate', () => desktop?.openConsole());
  // The app lives in the tray. Without this listener, Electron would quit when the last window closes.
  app.on('window-all-closed', () => undefined);
  app.on('before-quit', (event) => {
    if (desktop === null || desktop.hasEnded) return;
    event.preventDefault();
    void desktop.askToQuit();
  });
  // These signals end the session or the machine, so nobody can be asked.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => (desktop === null ? app.quit() : void desktop.quit()));
  void app.whenReady().then(async () => {
    desktop = await startDesktop(paths, env, process.argv.includes('--hidden'));
  });
} else {
  app.quit();
}
