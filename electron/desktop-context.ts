/** The context that every part of the desktop app is composed with. */
import type { EventEmitter } from 'node:events';
import type { WebContents } from 'electron';
import type { Logger } from 'pino';
import type { Message } from '#protocol/message.ts';
import type { AppPaths, Env } from '#protocol/paths.ts';
import type { AgentLineView } from './bridge.ts';
import type { Quitting } from './quitting/quitting.ts';
import type { TrayAction } from './tray-model.rules.ts';

/**
 * The events between parts. A part emits the events of which it is the source; parts that are composed later
 * listen to them.
 */
export interface DesktopEvents {
  broker: [];
  lan: [];
  update: [];
  /** The cookie of the member who is logged in at this desktop; null after a logout. */
  session: [value: string | null];
  /** The logged-in member, or the devices that wait for approval, changed. */
  devices: [];
  message: [message: Message, self: string];
  /** The items that need the member may have changed. */
  news: [];
  /** How many items need the member changed. */
  inbox: [];
  agents: [];
  agentLine: [id: string, line: AgentLineView];
  /** The page of a window is gone or reloads. */
  pageGone: [page: WebContents];
  trayAction: [action: TrayAction];
}

export interface DesktopContext {
  paths: AppPaths;
  env: Env;
  /** The folder of the built app. */
  built: string;
  log: Logger;
  logPath: string;
  events: EventEmitter<DesktopEvents>;
  quitting: Quitting;
}
