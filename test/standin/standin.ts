/** What tests see of the stand-in for `electron`, and what they say to it. */
import type { EventEmitter } from 'node:events';
import type { Browser } from 'playwright-core';
import type { BrowserWindow } from './browser-window.ts';
import type { Menu, Notification, Tray } from './menus.ts';

export type Scheme = (request: Request) => Promise<Response>;
export type Handler = (event: object, argument: unknown) => unknown;
export interface Asker {
  isMainFrame: boolean;
  requestingUrl: string;
}
export type PermissionRequestHandler = (
  contents: object,
  permission: string,
  answer: (isGranted: boolean) => void,
  asker: Asker,
) => void;
export type PermissionCheckHandler = (
  contents: object | null,
  permission: string,
  origin: string,
  asker: Asker,
) => boolean;

/** What tests see and say. */
export const standin = {
  appPath: '',
  /** Starts the Chromium of the windows; a test says how. */
  launch: (): Promise<Browser> => Promise.reject(new Error('standin.launch is not set')),
  hasKeychain: false,
  hasNotifications: true,
  refusesNotifications: false,
  handlers: new Map<string, Handler>(),
  schemes: new Map<string, Scheme>(),
  privileged: [] as { scheme: string }[],
  windows: [] as BrowserWindow[],
  trays: [] as Tray[],
  focused: null as BrowserWindow | null,
  appMenu: null as Menu | null,
  /** In order: `clipboard …`, `external …`, `box …`, `exit …`. */
  said: [] as string[],
  /** Answers of message boxes to come; the cancel button without one. */
  answers: [] as number[],
  /** Answers of open and save dialogs to come; cancelled without one. */
  paths: [] as string[],
  notifications: [] as Notification[],
  isSandboxed: false,
  /** As the app set them; without one the engine grants everything. */
  permissions: {
    request: null as PermissionRequestHandler | null,
    check: null as PermissionCheckHandler | null,
  },
  /** The Chromium of the windows, started with the first. */
  browser: undefined as Promise<Browser> | undefined,
  async stop(): Promise<void> {
    await (await standin.browser)?.close();
    standin.browser = undefined;
  },
  /** Those of the app's own process. */
  emitters: [] as EventEmitter[],
  /** As a new process finds it. */
  reset(): void {
    for (const list of [standin.windows, standin.trays, standin.said, standin.privileged]) list.length = 0;
    for (const list of [standin.answers, standin.paths, standin.notifications]) list.length = 0;
    for (const map of [standin.handlers, standin.schemes]) map.clear();
    for (const emitter of standin.emitters) emitter.removeAllListeners();
    standin.isSandboxed = false;
    standin.permissions = { request: null, check: null };
  },
};

/** An event that a listener can prevent, as documented. */
export function preventable<T extends object>(more?: T) {
  const event = {
    ...(more as T),
    isPrevented: false,
    preventDefault(): void {
      event.isPrevented = true;
    },
  };
  return event;
}
