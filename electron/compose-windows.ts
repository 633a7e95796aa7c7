/**
 * Composes everything that a person sees besides the tray: the windows, the native menu, and the
 * notifications.
 */
import { join } from 'node:path';
import { app, protocol, session } from 'electron';
import { messageNotice } from '#protocol/message-notice.ts';
import { type ApprovalWindow, createApprovalWindow } from './approval-window.ts';
import type { HostedBroker } from './compose-broker.ts';
import { consoleScheme } from './console-origin.rules.ts';
import { createConsoleScheme } from './console-scheme.ts';
import { type ConsoleWindow, createConsoleWindow } from './console-window.ts';
import type { DesktopContext } from './desktop-context.ts';
import { followInDock } from './dock.ts';
import { type AppMenuView, createAppMenu } from './menu/app-menu.ts';
import { isWorthNotice } from './notices/notices.rules.ts';
import { createNotices, type Notices } from './notices/notices.ts';
import type { PendingDevices } from './pending-devices.ts';
import { isGranted } from './permission.rules.ts';
import { sendNews } from './serve-bridge.ts';
import type { TrayView } from './tray.ts';
import { createWindows, type Windows } from './windows.ts';

export interface ComposedWindows {
  windows: Windows;
  consoleWindow: ConsoleWindow;
  approvals: ApprovalWindow;
  menu: AppMenuView;
  /** The person chose an update, and the version that they had started again. */
  tellUpdateFailed(): void;
}

export function composeWindows(
  context: DesktopContext,
  { host, jar }: HostedBroker,
  devices: PendingDevices,
  tray: TrayView,
): ComposedWindows {
  const { built, log, logPath, events, quitting } = context;
  protocol.handle(
    consoleScheme,
    createConsoleScheme({
      host,
      jar,
      consoleFolder: join(built, 'console'),
      logPath,
      onFault: () => consoleWindow.noteFault(),
    }),
  );
  grantPermissions();
  const windows = createWindows({
    preload: join(built, 'preload.cjs'),
    address: () => host.address,
    onConsole: followInDock(app.dock),
    onPageGone: (page) => events.emit('pageGone', page),
    log,
  });
  const consoleWindow = createConsoleWindow({
    open: (path) => windows.open('console', path),
    firstPage: () => host.setupPage ?? '/app',
    isQuitting: () => quitting.hasBegun,
  });
  events.on('broker', () => consoleWindow.refresh(host.state.kind === 'waiting'));
  const notices = createNotices({
    onRefused: ({ title }, reason) => log.warn({ title, reason }, 'a notification was not shown'),
  });
  events.on('message', (message, self) => {
    if (consoleWindow.isInFront || !isWorthNotice(message, self)) return;
    const { title, body, url } = messageNotice(message);
    notices.show({ title, body, onClick: () => consoleWindow.open(url) });
  });
  const approvals = composeApprovals(windows, notices, tray);
  events.on('devices', () => approvals.update(devices.pending));
  return {
    windows,
    consoleWindow,
    approvals,
    menu: composeMenu(consoleWindow),
    tellUpdateFailed: () =>
      notices.show({
        title: 'The update could not be installed',
        body: 'Muster started again with the version that it had. The log says why.',
        onClick: () => consoleWindow.open(),
      }),
  };
}

function grantPermissions(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer, asker) =>
    answer(isGranted(permission, asker)),
  );
  session.defaultSession.setPermissionCheckHandler((_contents, permission, _origin, asker) =>
    isGranted(permission, asker),
  );
}

function composeApprovals(windows: Windows, notices: Notices, tray: TrayView): ApprovalWindow {
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
  return approvals;
}

function composeMenu(consoleWindow: ConsoleWindow): AppMenuView {
  const menu = createAppMenu({
    platform: process.platform,
    onCommand(id) {
      consoleWindow.open();
      if (consoleWindow.window !== null) sendNews(consoleWindow.window.webContents, 'onCommand', id);
    },
    onQuit: () => app.quit(),
  });
  menu.show([]);
  return menu;
}
