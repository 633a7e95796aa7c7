/**
 * Composes the desktop app: log → tray → broker and session → agents → windows → bridge → power. Start
 * reading here.
 */
import { EventEmitter } from 'node:events';
import { renameSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { app, dialog } from 'electron';
import { destination, type Logger, pino } from 'pino';
import type { AppPaths, Env } from '#protocol/paths.ts';
import { composeAgents } from './compose-agents.ts';
import { composeBackups } from './compose-backups.ts';
import { composeBridge } from './compose-bridge.ts';
import { composeBroker } from './compose-broker.ts';
import { composePower } from './compose-power.ts';
import { composeTray } from './compose-tray.ts';
import { composeWindows } from './compose-windows.ts';
import { createCrashDialog } from './crash-dialog.ts';
import { createCrashReports } from './crash-reports.ts';
import type { DesktopContext } from './desktop-context.ts';
import { watchLoop } from './loop-watch.ts';
import { createQuitting } from './quitting/quitting.ts';
import { createTray } from './tray.ts';

export interface Desktop {
  /** Opens the console when the app is launched again, which is the only way on a system without a tray. */
  openConsole(): void;
  /** Ends everything in order within ten seconds, then ends the process. */
  quit(): Promise<void>;
  /** Asks first if agents are running. */
  askToQuit(): Promise<void>;
  /** Whether every part has ended, so that Electron may end the process. */
  readonly hasEnded: boolean;
}

export async function startDesktop(paths: AppPaths, env: Env, isHidden: boolean): Promise<Desktop> {
  const context = await createContext(paths, env);
  const { logPath, events, quitting } = context;
  watchProcess(context);
  const tray = createTray({
    folder: join(app.getAppPath(), 'resources', 'tray'),
    act: (action) => events.emit('trayAction', action),
  });
  quitting.add('tray', tray.close);
  const broker = await composeBroker(context);
  const { host } = broker;
  const { devices, agents, follow } = await composeAgents(context, broker);
  const windows = composeWindows(context, broker, devices, tray);
  const pageBridge = composeBridge(
    context,
    broker,
    { agents, backups: await composeBackups(context) },
    windows,
  );
  await composeTray(context, { broker, devices, agents, windows, tray });
  composePower(context, host, devices, pageBridge);

  await host.start();
  if (host.state.kind === 'failed')
    dialog.showErrorBox(
      'Muster could not start its broker',
      `${host.state.reason}\n\nThe log is in ${logPath}.`,
    );
  await follow();
  if (!isHidden || host.setupPage !== null) windows.consoleWindow.open();
  return {
    openConsole: () => windows.consoleWindow.open(),
    quit: quitting.quit,
    askToQuit: () => quitting.askToQuit(agents.running),
    get hasEnded() {
      return quitting.hasEnded;
    },
  };
}

async function createContext(paths: AppPaths, env: Env): Promise<DesktopContext> {
  const folders = [paths.configDir, paths.logsDir, dirname(paths.mainDbPath), dirname(paths.activityDbPath)];
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
  const logPath = join(paths.logsDir, 'desktop.log');
  setAsideFullLog(logPath);
  const log: Logger = pino({ base: null }, destination({ dest: logPath, mode: 0o600, sync: true }));
  return {
    paths,
    env,
    built: join(app.getAppPath(), 'dist', 'desktop'),
    log,
    logPath,
    events: new EventEmitter(),
    quitting: createQuitting({ exit: () => app.exit(0), log }),
  };
}

const maxLogBytes = 10 * 1024 * 1024;

/** Keeps one earlier log beside the present one. What cannot be renamed is kept as it is. */
function setAsideFullLog(path: string): void {
  try {
    if (statSync(path).size > maxLogBytes) renameSync(path, path.replace(/\.log$/, '.1.log'));
  } catch {
    // There is none yet.
  }
}

/** Reports uncaught errors, and times when the main thread was blocked. */
function watchProcess({ paths, log, logPath, quitting }: DesktopContext): void {
  const reports = createCrashReports({
    folder: paths.logsDir,
    version: app.getVersion(),
    now: () => Date.now(),
  });
  process.on('uncaughtException', createCrashDialog({ reports, logPath, log, quit: quitting.quit }));
  const unwatch = watchLoop({
    onStall: (stalledMs) => log.warn({ maxStallMs: stalledMs }, 'the main thread was blocked'),
  });
  quitting.add('loop watch', unwatch);
}
