/** The tests' view of the stand-in for `electron`, and how they control it. */
import type { EventEmitter } from 'node:events';
import type { Browser } from 'playwright-core';
import type { BaseWindow, BrowserWindow } from './browser-window.ts';
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

/** The events of the process to which the app listens. */
const processEvents = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection'] as const;
export type ProcessEvent = (typeof processEvents)[number];
type ProcessListener = (...args: unknown[]) => void;
const listenersOf = (event: ProcessEvent): ProcessListener[] =>
  process.rawListeners(event) as ProcessListener[];
/** Those of the test runner, which shares the process. */
const foreign = new Map<ProcessEvent, ProcessListener[]>();

/** The state that tests see and control. */
export const standin = {
  appPath: '',
  /** Starts the Chromium of the windows; a test sets it. */
  launch: (): Promise<Browser> => Promise.reject(new Error('standin.launch is not set')),
  hasKeychain: false,
  /** The keychain answers when this resolves, for example after the person unlocked it; null: at once. */
  keychainOpens: null as Promise<void> | null,
  hasNotifications: true,
  refusesNotifications: false,
  handlers: new Map<string, Handler>(),
  schemes: new Map<string, Scheme>(),
  privileged: [] as { scheme: string }[],
  windows: [] as BrowserWindow[],
  /** Windows without a page. */
  baseWindows: [] as BaseWindow[],
  /** The kinds of power saving that the app blocks now, by id. */
  blockers: new Map<number, string>(),
  /** Those with which the engine was started. */
  switches: new Set<string>(),
  /** macOS: whether the system opened the app at login. */
  wasOpenedAtLogin: false,
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
  /** The listeners that the app registered, oldest first. */
  ownListeners: (event: ProcessEvent): ProcessListener[] =>
    listenersOf(event).filter((one) => !foreign.get(event)?.includes(one)),
  dropOwnListeners(...events: readonly ProcessEvent[]): void {
    for (const event of events)
      for (const one of standin.ownListeners(event)) process.removeListener(event, one);
  },
  /** The emitters of the app's own process. */
  emitters: [] as EventEmitter[],
  apps: [] as { restart(): void }[],
  /** Resets everything to what a new process finds. */
  reset(): void {
    for (const list of [standin.windows, standin.baseWindows, standin.trays]) list.length = 0;
    for (const list of [standin.said, standin.privileged]) list.length = 0;
    for (const list of [standin.answers, standin.paths, standin.notifications]) list.length = 0;
    for (const map of [standin.handlers, standin.schemes]) map.clear();
    for (const emitter of standin.emitters) emitter.removeAllListeners();
    for (const one of standin.apps) one.restart();
    standin.dropOwnListeners(...processEvents);
    for (const event of processEvents) foreign.set(event, listenersOf(event));
    standin.isSandboxed = false;
    standin.keychainOpens = null;
    standin.blockers.clear();
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
