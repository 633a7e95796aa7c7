/** What tests see of the stand-in for `electron`, and how they control it. */
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

/** What tests see and control. */
export const standin = {
  appPath: '',
  /** Starts the Chromium of the windows; a test sets it. */
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
  /** The answers to the next message boxes; the cancel button without one. */
  answers: [] as number[],
  /** The answers to the next open and save dialogs; cancelled without one. */
  paths: [] as string[],
  notifications: [] as Notification[],
  isSandboxed: false,
  /** As the app set them; without one, the engine grants everything. */
  permissions: {
    request: null as PermissionRequestHandler | null,
    check: null as PermissionCheckHandler | null,
  },
  /** The Chromium of the windows, started with the first window. */
  browser: undefined as Promise<Browser> | undefined,
  async stop(): Promise<void> {
    await (await standin.browser)?.close();
    standin.browser = undefined;
  },
  /** The emitters of the app's own process. */
  emitters: [] as EventEmitter[],
  /** Resets everything to what a new process finds. */
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
