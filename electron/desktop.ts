/** THE composition of the desktop app: paths → log → broker → session → windows, tray, approvals. A straight list; read this first. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { app, clipboard, dialog, ipcMain, powerMonitor, protocol, session, shell } from 'electron';
import { destination, pino } from 'pino';
import type { AppPaths, Env } from '#protocol/paths.ts';
import { createApprovalWindow } from './approval-window.ts';
import { createBrokerHost } from './broker-host.ts';
import { consoleScheme } from './console-origin.rules.ts';
import { createConsoleScheme } from './console-scheme.ts';
import { addressOf, servePageBridge } from './page-bridge.ts';
import { createPendingDevices } from './pending-devices.ts';
import { type PowerAction, powerActions } from './power.rules.ts';
import { runQuitPlan } from './quit-plan.ts';
import { createSessionJar } from './session-jar.ts';
import { createSessionVault } from './session-vault.ts';
import { createTray } from './tray.ts';
import { joinCommand, type TrayAction, type TrayState, trayModel } from './tray-model.rules.ts';
import { createWindows } from './windows.ts';

export interface Desktop {
  /** On a system without a tray this is the way in: launching again. */
  openConsole(): void;
  /** Ends everything in order, within ten seconds, then the process. */
  quit(): Promise<void>;
}

export async function startDesktop(paths: AppPaths, env: Env, isHidden: boolean): Promise<Desktop> {
  const folders = [paths.configDir, paths.logsDir, dirname(paths.mainDbPath), dirname(paths.activityDbPath)];
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
  const logPath = join(paths.logsDir, 'desktop.log');
  const log = pino({ base: null }, destination({ dest: logPath, mode: 0o600, sync: true }));

  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the app failed');
    const response = dialog.showMessageBoxSync({
      type: 'error',
      message: 'Muster met an error it does not know.',
      detail: `${error.message}\n\nIt is in ${logPath}.`,
      buttons: ['Restart', 'Open log', 'Go on'],
      defaultId: 0,
      cancelId: 2,
    });
    if (response === 1) void shell.openPath(logPath);
    if (response !== 0) return;
    app.relaunch();
    void quit();
  });

  const built = join(app.getAppPath(), 'dist', 'desktop');
  const state: TrayState = { broker: { kind: 'stopped' }, member: null, pending: [] };
  const vault = createSessionVault(join(paths.configDir, 'desktop-session.safe'), log);
  const jar = createSessionJar(onSession, await vault.load());
  const port = Number(env.SVC_PORT);
  const host = createBrokerHost({
    options: {
      configPath: paths.configPath,
      filesRoot: paths.filesRoot,
      dbPath: paths.mainDbPath,
      activityDbPath: paths.activityDbPath,
      telemetryPath: paths.telemetryPath,
      consoleFolder: join(built, 'console'),
      env,
      log,
    },
    listen: {
      ...(env.SVC_HOST && { host: env.SVC_HOST }),
      ...(env.SVC_PORT && Number.isInteger(port) && port >= 0 && port <= 65_535 && { port }),
    },
    onState(broker) {
      state.broker = broker;
      showTray();
    },
    onNotice: (notice) => log.warn(notice),
  });
  const tray = createTray(act);
  const devices = createPendingDevices({
    host,
    jar,
    log,
    onChange(member, pending) {
      state.member = member;
      state.pending = pending;
      showTray();
      approvals.update(pending);
    },
  });

  protocol.handle(consoleScheme, createConsoleScheme(host, jar));
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
  const windows = createWindows({
    preload: join(built, 'preload.cjs'),
    address: () => addressOf(host),
    onPageGone: (contents) => bridge.forget(contents),
    log,
  });
  const bridge = servePageBridge({ ipc: ipcMain, isOwnWindow: windows.isOwn, host, jar, log });
  const approvals = createApprovalWindow({
    open: (path) => windows.open('approval', path),
    trayBox: tray.box,
    now: () => Date.now(),
  });
  const actions: Record<PowerAction, () => void> = {
    closeFeeds() {
      bridge.closeFeeds();
      devices.close();
    },
    openFeeds() {
      bridge.openFeeds();
      void devices.follow();
    },
    readPending: () => void devices.read(),
    quit: () => void quit(),
  };
  powerMonitor.on('suspend', () => power('suspend'));
  powerMonitor.on('resume', () => power('resume'));
  powerMonitor.on('shutdown', () => power('shutdown'));

  let console: Electron.BrowserWindow | null = null;
  let quitting: Promise<void> | null = null;
  showTray();
  await host.start();
  if (host.state.kind === 'failed')
    dialog.showErrorBox(
      'Muster could not start its broker',
      `${host.state.reason}\n\nIts log is ${logPath}.`,
    );
  await devices.follow();
  if (!isHidden || host.setupPage !== null) openConsole();
  return { openConsole, quit };

  function power(event: Parameters<typeof powerActions>[0]): void {
    for (const action of powerActions(event)) actions[action]();
  }

  function showTray(): void {
    tray.show(trayModel(state));
  }

  function onSession(value: string | null): void {
    vault.save(value);
    // A renewed cookie is the same session; its stream goes on.
    if (value === null || state.member === null) void devices.follow();
  }

  function act(action: TrayAction): void {
    if (action.kind === 'openConsole') openConsole();
    else if (action.kind === 'openApproval') approvals.show(action.userCode);
    else if (action.kind === 'copyJoinCommand') void clipboard.writeText(joinCommand(addressOf(host)));
    else if (action.kind === 'openLog') void shell.openPath(logPath);
    else void quit();
  }

  function openConsole(): void {
    if (host.state.kind !== 'running') return;
    if (console === null) {
      const opened = windows.open('console', host.setupPage ?? '/app');
      console = opened;
      opened.once('ready-to-show', () => opened.show());
      opened.on('close', (event) => {
        if (quitting !== null) return;
        event.preventDefault();
        opened.hide();
      });
      opened.on('closed', () => {
        console = null;
      });
      return;
    }
    console.show();
    console.focus();
  }

  function quit(): Promise<void> {
    quitting ??= (async () => {
      const report = await runQuitPlan([
        { name: 'streams', run: actions.closeFeeds },
        { name: 'broker', run: host.stop },
        { name: 'session', run: vault.settle },
        { name: 'tray', run: tray.close },
      ]);
      if (report.failed.length > 0) log.error(report, 'not everything ended in order');
      app.exit(0);
    })();
    return quitting;
  }
}
