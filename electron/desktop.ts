/**
 * Composes the desktop app: log → tray → broker and session → agents → windows → bridge → power. Start
 * reading here.
 */
import { EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { app } from 'electron';
import type { AppPaths, Env } from '#protocol/paths.ts';
import type { Agents } from './agents/agents.ts';
import { composeAgents } from './compose-agents.ts';
import { composeBackups } from './compose-backups.ts';
import { composeBridge } from './compose-bridge.ts';
import { composeBroker } from './compose-broker.ts';
import { composePower } from './compose-power.ts';
import { composeTray } from './compose-tray.ts';
import { type ComposedWindows, composeWindows } from './compose-windows.ts';
import { createCrashDialog } from './crash-dialog.ts';
import { type CrashReports, createCrashReports } from './crash-reports.ts';
import type { DesktopContext } from './desktop-context.ts';
import { createDesktopLog } from './desktop-log.ts';
import { startArgumentsOf } from './login-item/start-arguments.rules.ts';
import { watchLoop } from './loop-watch.ts';
import { createQuitting } from './quitting/quitting.ts';
import { relaunchWith } from './relaunch.ts';
import { watchSessionEnd } from './session-end.ts';
import { showEarlyFailure, showStartFailure } from './start-failure.ts';
import { createTray } from './tray.ts';

export interface Desktop {
  /** Opens the console when the app is launched again, which is the only way on a system without a tray. */
  openConsole(): void;
  /** Asks first if agents are running, then ends everything in order within ten seconds, and the process. */
  askToQuit(): Promise<void>;
  /** Whether every part has ended, so that Electron may end the process. */
  readonly hasEnded: boolean;
}

/** As `muster serve`. */
const deposedExit = 75;

/** The last one: the terminal in which the app was started is closed. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The parts that exist while the app starts. */
interface Composed {
  windows?: ComposedWindows;
  agents?: Agents;
  isConsoleWanted: boolean;
}

/**
 * Starts the app. A start that fails is shown and reported, and ends the process with exit code 1. Returns null
 * if not even a log can be written.
 */
export function createDesktop(paths: AppPaths, env: Env): Desktop | null {
  const reports = createCrashReports({
    folder: paths.logsDir,
    version: app.getVersion(),
    now: () => Date.now(),
  });
  const context = contextOrExit(paths, env, reports);
  if (context === null) return null;
  const { quitting } = context;
  const composed: Composed = { isConsoleWanted: false };
  watchProcess(context, reports);
  compose(context, composed).catch(async (error: unknown) => {
    context.log.fatal({ err: error }, 'the app could not be started');
    // Parts that come after the end of the others fail.
    if (quitting.hasBegun) return;
    await showStartFailure(error, reports).catch((failure: unknown) =>
      context.log.error({ err: failure }, 'the failure could not be shown'),
    );
    await quitting.quit({ code: 1 });
  });
  return {
    openConsole() {
      composed.isConsoleWanted = true;
      composed.windows?.consoleWindow.open();
    },
    askToQuit: () => quitting.askToQuit(composed.agents?.running ?? 0),
    get hasEnded() {
      return quitting.hasEnded;
    },
  };
}

async function compose(context: DesktopContext, composed: Composed): Promise<void> {
  const { events, quitting } = context;
  const { isHidden, hasUpdateFailed } = startArgumentsOf(process.argv, process.platform, () =>
    app.getLoginItemSettings(),
  );
  const tray = createTray({
    folder: join(app.getAppPath(), 'resources', 'tray'),
    act: (action) => events.emit('trayAction', action),
  });
  quitting.add('tray', tray.close);
  const broker = composeBroker(context, (reason) => standByAnew(context, composed, reason));
  const { host } = broker;
  const { devices, inbox, agents } = await composeAgents(context, broker);
  composed.agents = agents;
  const windows = composeWindows(context, broker, devices, tray);
  composed.windows = windows;
  const pageBridge = composeBridge(
    context,
    broker,
    { agents, backups: await composeBackups(context, broker) },
    windows,
  );
  await composeTray(context, { broker, devices, inbox, agents, windows, tray });
  composePower(context, host, devices, pageBridge);

  await host.start();
  if (quitting.hasBegun) return;
  const isNeeded = host.state.kind === 'failed' || host.setupPage !== null;
  if (!isHidden || isNeeded || composed.isConsoleWanted) windows.consoleWindow.open();
  if (hasUpdateFailed) windows.tellUpdateFailed();
}

/** Ends the process at once, without waiting for anybody, and starts the app again. */
function standByAnew({ env, log, quitting }: DesktopContext, { windows }: Composed, reason: string): void {
  log.error({ reason }, 'this machine is no longer the active one; the app starts again and stands by');
  const isShown = windows?.consoleWindow.window?.isVisible() ?? false;
  if (!quitting.hasBegun) relaunchWith(env, isShown ? [] : ['--hidden']);
  app.exit(deposedExit);
}

function contextOrExit(paths: AppPaths, env: Env, reports: CrashReports): DesktopContext | null {
  try {
    return createContext(paths, env);
  } catch (error) {
    showEarlyFailure(error, reports);
    app.exit(1);
    return null;
  }
}

function createContext(paths: AppPaths, env: Env): DesktopContext {
  const folders = [paths.configDir, paths.logsDir, dirname(paths.mainDbPath), dirname(paths.activityDbPath)];
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const logPath = join(paths.logsDir, 'desktop.log');
  const log = createDesktopLog({ path: logPath });
  const quitting = createQuitting({
    exit: (code) => app.exit(code),
    relaunch: () => relaunchWith(env, ['--update-failed']),
    log,
  });
  return {
    paths,
    env,
    built: join(app.getAppPath(), 'dist', 'desktop'),
    log,
    logPath,
    events: new EventEmitter(),
    quitting,
  };
}

/** Reports errors that nothing caught, ends the app on signals, and logs when the main thread was blocked. */
function watchProcess({ env, log, logPath, quitting }: DesktopContext, reports: CrashReports): void {
  const onError = createCrashDialog({
    reports,
    logPath,
    log,
    quitting,
    relaunch: () => relaunchWith(env, []),
  });
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  // These signals end the session or the machine, so nobody can be asked. The engine replaces handlers that are
  // registered before it is ready.
  for (const signal of endSignals) process.on(signal, () => void quitting.quit());
  quitting.add(
    'session end',
    watchSessionEnd(process.platform, () => void quitting.quit()),
  );
  const unwatch = watchLoop({
    onStall: (stalledMs) => log.warn({ maxStallMs: stalledMs }, 'the main thread was blocked'),
  });
  quitting.add('loop watch', unwatch);
}
