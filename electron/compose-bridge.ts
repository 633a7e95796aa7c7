/** The handlers of the bridge, one for every call of the table. */
import { BrowserWindow, ipcMain } from 'electron';
import { agentDialogs } from './agents/agent-dialogs.ts';
import type { Agents } from './agents/agents.ts';
import { createAgentsBridge } from './agents/agents-bridge.ts';
import { backupHandlers } from './backup/backup-bridge.ts';
import type { Backups } from './backup/backups.ts';
import type { HostedBroker } from './compose-broker.ts';
import type { ComposedWindows } from './compose-windows.ts';
import type { DesktopContext } from './desktop-context.ts';
import { keyHandlers } from './key/key-bridge.ts';
import { lanHandlers } from './lan/lan-bridge.ts';
import { requireManager } from './manager-check.ts';
import { createPageBridge, type PageBridge } from './page-bridge.ts';
import { createPageUploads } from './page-uploads.ts';
import { relaunchWith } from './relaunch.ts';
import { serveBridge } from './serve-bridge.ts';
import { databaseHandlers } from './standby/database-bridge.ts';
import { createDatabaseQuestions } from './standby/database-questions.ts';
import { joinHandlers } from './standby/join-bridge.ts';
import { standbyHandlers } from './standby/standby-bridge.ts';

export function composeBridge(
  { paths, env, log, events, quitting }: DesktopContext,
  broker: HostedBroker,
  { agents, backups }: { agents: Agents; backups: Backups },
  { windows, consoleWindow, menu }: ComposedWindows,
): PageBridge {
  const { host, database, jar, client } = broker;
  const pageBridge = createPageBridge({ host, jar, onMarked: () => events.emit('news') });
  const uploads = createPageUploads({ host, jar });
  quitting.add('uploads', uploads.close);
  const agentsBridge = createAgentsBridge({ agents, ...agentDialogs(() => consoleWindow.window) });
  events.on('pageGone', (page) => {
    pageBridge.forget(page);
    uploads.forget(page);
    agentsBridge.forget(page);
  });
  events.on('agents', agentsBridge.changed);
  events.on('agentLine', agentsBridge.line);
  events.on('session', (value) => void (value === null && agentsBridge.forgetAll()));
  const ofDatabase = {
    host,
    database,
    questions: createDatabaseQuestions((page) => BrowserWindow.fromWebContents(page)),
    restart() {
      if (quitting.hasBegun) return;
      relaunchWith(env, []);
      void quitting.quit();
    },
    log,
  };
  serveBridge({
    ipc: ipcMain,
    isOwnPage: windows.isOwn,
    requireManager: () => requireManager(client),
    log,
    handlers: {
      ...pageBridge.handlers,
      ...uploads.handlers,
      ...agentsBridge.handlers,
      ...lanHandlers({ host, onChange: () => events.emit('lan'), log }),
      ...standbyHandlers({ host, database }),
      ...databaseHandlers({ ...ofDatabase, paths }),
      ...joinHandlers({ ...ofDatabase, places: paths, env }),
      ...backupHandlers({ backups, windowOf: (page) => BrowserWindow.fromWebContents(page) }),
      ...keyHandlers({
        host,
        isSessionKept: () => broker.isSessionKept,
        windowOf: (page) => BrowserWindow.fromWebContents(page),
        log,
      }),
      tellCommands(commands) {
        menu.show(commands);
        return null;
      },
    },
  });
  return pageBridge;
}
