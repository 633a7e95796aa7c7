/** Composes the tray: it shows the state of all parts and carries out the items of its menu. */
import { homedir } from 'node:os';
import { app, clipboard, shell } from 'electron';
import { joinWay } from '#protocol/join.ts';
import type { Agents } from './agents/agents.ts';
import type { HostedBroker } from './compose-broker.ts';
import type { ComposedWindows } from './compose-windows.ts';
import type { DesktopContext } from './desktop-context.ts';
import { tellFailure } from './failure-box.ts';
import type { InboxCount } from './inbox-count.ts';
import { createLoginSwitch } from './login-item/login-switch.ts';
import type { PendingDevices } from './pending-devices.ts';
import type { TrayView } from './tray.ts';
import { runTrayAction, type TrayActions } from './tray-actions.ts';
import { trayModel } from './tray-model.rules.ts';
import { createUpdates } from './updates/updates.ts';

export interface TrayParts {
  broker: HostedBroker;
  devices: PendingDevices;
  inbox: InboxCount;
  agents: Agents;
  windows: ComposedWindows;
  tray: TrayView;
}

export async function composeTray(context: DesktopContext, parts: TrayParts): Promise<void> {
  const { env, log, logPath, events, quitting } = context;
  const { broker, devices, inbox, agents, windows, tray } = parts;
  const { host } = broker;
  const updates = await createUpdates({
    isPackaged: app.isPackaged,
    resourcesPath: process.resourcesPath,
    onChange: () => events.emit('update'),
    log,
  });
  quitting.add('updates', updates.close);
  const loginSwitch = await createLoginSwitch(env, homedir());

  function show(): void {
    tray.show(
      trayModel({
        broker: host.state,
        member: devices.member,
        pending: devices.pending,
        needs: inbox.count,
        ...agents.tray(),
        isLanOn: (host.lan?.access ?? null) !== null,
        update: updates.state,
        startsAtLogin: loginSwitch.isOn,
      }),
    );
  }

  const refused = (title: string) => tellFailure(log, title);
  const { consoleWindow, approvals } = windows;
  const askToQuit = () => void quitting.askToQuit(agents.running);
  const actions: TrayActions = {
    openConsole: () => consoleWindow.open(),
    openInbox: () => consoleWindow.open('/app'),
    openApproval: ({ userCode }) => approvals.show(userCode),
    copyJoinCommand() {
      const access = host.lan?.access ?? null;
      const way = joinWay(access === null ? [] : [access]);
      // LAN access may have been turned off since the menu was shown.
      if (way.kind === 'open')
        clipboard.writeText(way.command).catch(refused('The command could not be copied'));
      else actions.openLanAccess({ kind: 'openLanAccess' });
    },
    openLanAccess: () => consoleWindow.open('/app/admin/network'),
    checkUpdates: () => updates.check(),
    installUpdate: () => void quitting.askToQuit(agents.running, { instead: updates.install }),
    startAtLogin: () =>
      void loginSwitch.toggle().then(show, refused('“Start at login” could not be changed')),
    startBroker: () => void host.start(),
    openLog() {
      const failed = refused('The log could not be opened');
      // The engine reports a failure as a text.
      shell.openPath(logPath).then((problem) => {
        if (problem !== '') failed(new Error(problem));
      }, failed);
    },
    openAgents: ({ id }) => consoleWindow.open(id === null ? '/app/agents' : `/app/agents?run=${id}`),
    runRecent: ({ id }) => void agents.startRecent(id).catch(refused('The agent could not be started')),
    stopAgent({ id }) {
      // The menu may be older than the list.
      if (agents.list().agents.some((agent) => agent.id === id)) agents.stop(id);
    },
    quit: askToQuit,
  };
  events.on('trayAction', (action) => runTrayAction(actions, action));
  for (const change of ['broker', 'devices', 'inbox', 'agents', 'lan', 'update'] as const)
    events.on(change, show);
  show();
}
