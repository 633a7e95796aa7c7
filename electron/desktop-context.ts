/** What every part of the desktop app is composed with. */
import type { EventEmitter } from 'node:events';
import type { WebContents } from 'electron';
import type { Logger } from 'pino';
import type { Message } from '#protocol/message.ts';
import type { AppPaths, Env } from '#protocol/paths.ts';
import type { AgentLineView } from './bridge.ts';
import type { Quitting } from './quitting/quitting.ts';
import type { TrayAction } from './tray-model.rules.ts';

/** What parts tell each other. A part emits what it is the source of; whoever is composed later listens. */
export interface DesktopEvents {
  broker: [];
  lan: [];
  update: [];
  /** The cookie of the member who is logged in at this desktop; null after a logout. */
  session: [value: string | null];
  /** Who is logged in, and which devices wait for approval. */
  devices: [];
  message: [message: Message, self: string];
  agents: [];
  agentLine: [id: string, line: AgentLineView];
  /** The page of a window is gone, or loads again. */
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
