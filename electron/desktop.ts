/** THE composition of the desktop app: paths → log → broker → session → windows, tray, approvals. A straight list; read this first. */
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  powerMonitor,
  protocol,
  session,
  shell,
} from 'electron';
import { destination, pino } from 'pino';
import { reasonOf } from '#platform/error-text.ts';
import { messageNotice } from '#protocol/message-notice.ts';
import type { AppPaths, Env } from '#protocol/paths.ts';
import { createAgents } from './agents/agents.ts';
import { serveAgentsBridge } from './agents/agents-bridge.ts';
import { quitQuestion } from './agents/quit-question.rules.ts';
import { createApprovalWindow } from './approval-window.ts';
import { channels } from './bridge.ts';
import { createBridgeWords } from './bridge-words.ts';
import { createBrokerHost } from './broker-host.ts';
import { consoleScheme } from './console-origin.rules.ts';
import { createConsoleScheme } from './console-scheme.ts';
import { createConsoleWindow } from './console-window.ts';
import { createCrashDialog } from './crash-dialog.ts';
import { createCrashReports } from './crash-reports.ts';
import { serveKeyBridge } from './key/key-bridge.ts';
import { findKeychain } from './key/keychain.ts';
import { serveLanBridge } from './lan/lan-bridge.ts';
import { createLoginItem } from './login-item/login-item.ts';
import { watchLoop } from './loop-watch.ts';
import { createAppMenu } from './menu/app-menu.ts';
import { serveMenuBridge } from './menu/menu-bridge.ts';
import { watchNetwork } from './network-watch.ts';
import { isWorthNotice } from './notices/notices.rules.ts';
import { createNotices } from './notices/notices.ts';
import { addressOf, servePageBridge } from './page-bridge.ts';
import { createPendingDevices } from './pending-devices.ts';
import { isGranted } from './permission.rules.ts';
import { type PowerAction, powerActions } from './power.rules.ts';
import { runQuitPlan } from './quit-plan.ts';
import { clientWith, sessionClient } from './session-client.ts';
import { createSessionJar } from './session-jar.ts';
import { createSessionVault } from './session-vault.ts';
import { createTray } from './tray.ts';
import { joinCommand, type TrayAction, type TrayState, trayModel } from './tray-model.rules.ts';
import { createUpdates } from './updates/updates.ts';
import { createWindows } from './windows.ts';

export interface Desktop {
  /** On a system without a tray this is the way in: launching again. */
  openConsole(): void;
  /** Ends everything in order, within ten seconds, then the process. */
  quit(): Promise<void>;
  /** Asks first when agents run. */
  askToQuit(): Promise<void>;
  /** Nothing is left that could be lost: the engine may end as it likes. */
  readonly hasEnded: boolean;
}

export async function startDesktop(paths: AppPaths, env: Env, isHidden: boolean): Promise<Desktop> {
  const folders = [paths.configDir, paths.logsDir, dirname(paths.mainDbPath), dirname(paths.activityDbPath)];
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
  const logPath = join(paths.logsDir, 'desktop.log');
  const log = pino({ base: null }, destination({ dest: logPath, mode: 0o600, sync: true }));

  const reports = createCrashReports({
    folder: paths.logsDir,
    version: app.getVersion(),
    now: () => Date.now(),
  });
  process.on('uncaughtException', createCrashDialog({ reports, logPath, log, quit }));
  const unwatch = watchLoop({
    onStall: (longestMs) => log.warn({ longestMs }, 'the main thread stood still'),
  });

  const built = join(app.getAppPath(), 'dist', 'desktop');
  const state: TrayState = {
    broker: { kind: 'stopped' },
    member: null,
    pending: [],
    agents: [],
    recent: [],
    isLanOn: false,
    update: { kind: 'absent' },
    startsAtLogin: null,
  };
  const keychain = await findKeychain();
  const vault = createSessionVault({ path: join(paths.configDir, 'desktop-session.safe'), keychain, log });
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
      keychain,
      log,
    },
    listen: {
      isSecureOptional: true,
      ...(env.SVC_HOST && { host: env.SVC_HOST }),
      ...(env.SVC_PORT && Number.isInteger(port) && port >= 0 && port <= 65_535 && { port }),
    },
    onState(broker) {
      state.broker = broker;
      showTray();
    },
    onNotice: (notice) => log.warn(notice),
  });
  const tray = createTray({ folder: join(app.getAppPath(), 'resources', 'tray'), act });
  const devices = createPendingDevices({
    host,
    jar,
    log,
    onMessage(message, self) {
      if (console.isInFront || !isWorthNotice(message, self)) return;
      const { title, body, url } = messageNotice(message);
      notices.show({ title, body, onClick: () => console.open(url) });
    },
    onChange(member, pending) {
      state.member = member;
      state.pending = pending;
      showTray();
      approvals.update(pending);
    },
  });
  const agents = await createAgents({
    dataDir: paths.dataDir,
    env,
    installation: {
      isPackaged: app.isPackaged,
      resourcesPath: process.resourcesPath,
      appPath: app.getAppPath(),
    },
    url: () => addressOf(host),
    clientOf: (credential) =>
      credential === 'session'
        ? sessionClient(host, jar)
        : clientWith(host, () =>
            credential === 'none' ? {} : { authorization: `Bearer ${credential.bearer}` },
          ),
    withheld: devices.withheld,
    onChange() {
      showTray();
      agentsBridge.changed();
    },
    onLine: (id, line) => agentsBridge.line(id, line),
    log,
  });

  protocol.handle(consoleScheme, createConsoleScheme(host, jar));
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer, asker) =>
    answer(isGranted(permission, asker)),
  );
  session.defaultSession.setPermissionCheckHandler((_contents, permission, _origin, asker) =>
    isGranted(permission, asker),
  );
  const windows = createWindows({
    preload: join(built, 'preload.cjs'),
    address: () => addressOf(host),
    onPageGone(contents) {
      bridge.forget(contents);
      agentsBridge.forget(contents);
    },
    log,
  });
  const handle = createBridgeWords({ ipc: ipcMain, isOwnWindow: windows.isOwn, log });
  const bridge = servePageBridge({ handle, host, jar });
  serveLanBridge({ handle, client: sessionClient(host, jar), lan: () => host.lan, onChange: showTray, log });
  serveKeyBridge({
    handle,
    client: sessionClient(host, jar),
    key: () => host.key,
    isSessionKept: keychain !== null,
    windowOf: (contents) => BrowserWindow.fromWebContents(contents),
    log,
  });
  const agentsBridge = serveAgentsBridge({
    handle,
    agents,
    client: sessionClient(host, jar),
    pick,
    confirmModel,
  });
  const console = createConsoleWindow({
    open: (path) => windows.open('console', path),
    firstPage: () => (host.state.kind === 'running' ? (host.setupPage ?? '/app') : null),
    isQuitting: () => quitting !== null,
  });
  const menu = createAppMenu({
    platform: process.platform,
    onCommand(id) {
      console.open();
      console.window?.webContents.send(channels.command, id);
    },
    onQuit: () => app.quit(),
  });
  menu.show([]);
  serveMenuBridge({ handle, menu });
  const notices = createNotices({
    onRefused: ({ title }, reason) => log.warn({ title, reason }, 'a notification was not shown'),
  });
  const approvals = createApprovalWindow({
    open: (path) => windows.open('approval', path),
    onNew({ userCode, labelHint }) {
      notices.show({
        title: 'A device asks to join',
        body: `${userCode} ${labelHint ?? ''}`.trim(),
        onClick: () => approvals.show(userCode),
      });
    },
    trayBox: tray.box,
    now: () => Date.now(),
  });
  const updates = await createUpdates({
    isPackaged: app.isPackaged,
    resourcesPath: process.resourcesPath,
    onChange: showTray,
    log,
  });
  const loginItem = createLoginItem(env, homedir());
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
    renewCertificate() {
      host.lan?.renew().catch((err: unknown) => log.warn({ err }, 'the certificate was not renewed'));
    },
    quit: () => void quit(),
  };
  powerMonitor.on('suspend', () => power('suspend'));
  powerMonitor.on('resume', () => power('resume'));
  powerMonitor.on('shutdown', () => power('shutdown'));
  const unwatchNetwork = watchNetwork({ onChange: () => power('network') });

  let quitting: Promise<void> | null = null;
  let hasEnded = false;
  let isAsking = false;
  state.startsAtLogin = (await loginItem?.read()) ?? null;
  showTray();
  await host.start();
  if (host.state.kind === 'failed')
    dialog.showErrorBox(
      'Muster could not start its broker',
      `${host.state.reason}\n\nIts log is ${logPath}.`,
    );
  await follow();
  if (!isHidden || host.setupPage !== null) console.open();
  return {
    openConsole: () => console.open(),
    quit,
    askToQuit,
    get hasEnded() {
      return hasEnded;
    },
  };

  async function follow(): Promise<void> {
    await devices.follow();
    if (state.member !== null) await agents.revokeLeft();
  }

  function power(event: Parameters<typeof powerActions>[0]): void {
    for (const action of powerActions(event)) actions[action]();
  }

  function showTray(): void {
    Object.assign(state, agents.tray());
    state.isLanOn = (host.lan?.access ?? null) !== null;
    state.update = updates.state;
    tray.show(trayModel(state));
  }

  async function toggleLoginItem(): Promise<void> {
    if (loginItem === null) return;
    try {
      await loginItem.set(!(await loginItem.read()));
      state.startsAtLogin = await loginItem.read();
      showTray();
    } catch (error) {
      log.warn({ err: error }, 'starting at login was not changed');
      dialog.showErrorBox('Starting at login was not changed', reasonOf(error));
    }
  }

  function onSession(value: string | null): void {
    vault.save(value);
    if (value === null) agentsBridge.forgetAll();
    // A renewed cookie is the same session; its stream goes on.
    if (value === null || state.member === null) void follow();
  }

  function act(action: TrayAction): void {
    if (action.kind === 'openConsole') console.open();
    else if (action.kind === 'openApproval') approvals.show(action.userCode);
    else if (action.kind === 'copyJoinCommand') copyJoinCommand();
    else if (action.kind === 'openLanAccess') console.open('/app/settings?part=access');
    else if (action.kind === 'checkUpdates') updates.check();
    else if (action.kind === 'installUpdate') void askToQuit();
    else if (action.kind === 'startAtLogin') void toggleLoginItem();
    else if (action.kind === 'openLog') void shell.openPath(logPath);
    else if (action.kind === 'openAgents')
      console.open(action.id === null ? '/app/agents' : `/app/agents?run=${action.id}`);
    else if (action.kind === 'runRecent') agents.startRecent(action.id).catch(agentRefused);
    else if (action.kind === 'stopAgent') {
      // The menu may be older than the list.
      if (agents.list().agents.some(({ id }) => id === action.id)) agents.stop(action.id);
    } else void askToQuit();
  }

  function copyJoinCommand(): void {
    const { url, fingerprint } = host.lan?.access ?? { url: addressOf(host), fingerprint: null };
    void clipboard.writeText(joinCommand(url, fingerprint));
  }

  function agentRefused(error: unknown): void {
    log.warn({ err: error }, 'an agent does not start');
    dialog.showErrorBox('The agent does not start', reasonOf(error));
  }

  async function pick(what: 'folder' | 'program'): Promise<string | null> {
    const options: Electron.OpenDialogOptions = {
      title: what === 'folder' ? 'The folder the agent works in' : 'The program to run as an agent',
      properties: what === 'folder' ? ['openDirectory', 'createDirectory'] : ['openFile'],
    };
    if (console.window === null) return null;
    const { canceled, filePaths } = await dialog.showOpenDialog(console.window, options);
    return canceled ? null : (filePaths[0] ?? null);
  }

  async function confirmModel(modelHost: string): Promise<boolean> {
    if (console.window === null) return false;
    const { response } = await dialog.showMessageBox(console.window, {
      type: 'warning',
      message: `Send the agent’s model requests to ${modelHost}?`,
      detail: 'It gets what the agent reads and writes, and the key that the agent logs in with there.',
      buttons: ['Send them there', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
    });
    return response === 0;
  }

  async function askToQuit(): Promise<void> {
    const question = quitting === null ? quitQuestion(agents.running) : null;
    if (question !== null) {
      if (isAsking) return;
      isAsking = true;
      const { response } = await dialog
        .showMessageBox({ type: 'question', ...question, defaultId: 1, cancelId: 1 })
        .finally(() => {
          isAsking = false;
        });
      if (response !== 0) return;
    }
    await quit();
  }

  function quit(): Promise<void> {
    quitting ??= (async () => {
      const report = await runQuitPlan([
        { name: 'streams', run: actions.closeFeeds },
        // Before the broker: they upload what is left and their tokens are revoked, which needs it.
        { name: 'agents', run: agents.stopAll },
        { name: 'broker', run: host.stop },
        { name: 'session', run: vault.settle },
        { name: 'tray', run: tray.close },
      ]);
      if (report.failed.length > 0) log.error(report, 'not everything ended in order');
      unwatch();
      unwatchNetwork();
      updates.close();
      hasEnded = true;
      if (!updates.install()) app.exit(0);
    })();
    return quitting;
  }
}
