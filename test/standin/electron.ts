/**
 * A small stand-in for `electron`, written from its documentation: windows are pages of a real Chromium,
 * request interception answers the console's scheme, and everything of the desktop itself is recorded. Tests
 * always alias `electron` to this file, because importing the real one would download it.
 */
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import {
  type Handler,
  type PermissionCheckHandler,
  type PermissionRequestHandler,
  preventable,
  type Scheme,
  standin,
} from './standin.ts';

export { BaseWindow, BrowserWindow } from './browser-window.ts';
export { Menu, Notification, Tray } from './menus.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

class App extends EventEmitter {
  isPackaged = false;
  #ready: Promise<void> | undefined;
  getAppPath = (): string => standin.appPath;
  commandLine = { hasSwitch: (name: string): boolean => standin.switches.has(name) };
  /** Only macOS has one. */
  dock: { show(): Promise<void>; hide(): void } | undefined = undefined;
  getVersion = (): string => '0.0.0';
  /** Only a packed app has one; a checkout has none. */
  getLoginItemSettings = () => ({ openAtLogin: false, wasOpenedAtLogin: standin.wasOpenedAtLogin });
  setLoginItemSettings(): void {}
  setPath(name: string, path: string): void {
    standin.said.push(`path ${name} ${path}`);
  }
  enableSandbox(): void {
    standin.isSandboxed = true;
  }
  requestSingleInstanceLock = (): boolean => true;
  setAppUserModelId(id: string): void {
    standin.said.push(`user model ${id}`);
  }
  /**
   * Later than the code that starts the app. By then, the engine has put its own handlers in the place of those
   * that the app registered for signals.
   */
  whenReady(): Promise<void> {
    this.#ready ??= new Promise((resolve) => {
      setImmediate(() => {
        standin.dropOwnListeners(...signals);
        resolve();
      });
    });
    return this.#ready;
  }
  /** Restores the state that a new process finds. */
  restart(): void {
    this.removeAllListeners();
    this.#ready = undefined;
  }
  /** A signal of the system: the app's own handler, or else the engine's, which quits. */
  signal(name: (typeof signals)[number]): void {
    const own = standin.ownListeners(name);
    if (own.length === 0) this.quit();
    for (const listener of own) listener(name);
  }
  relaunch(): void {
    standin.said.push('relaunch');
  }
  /** As documented, it asks nobody: there is no before-quit and no will-quit. */
  exit(code = 0): void {
    standin.said.push(`exit ${code}`);
  }
  /** As documented, before-quit, the close of each window, and will-quit can prevent it, in this order. */
  quit(): void {
    if (!this.#goesOn('before-quit')) return;
    const windows = [...standin.windows, ...standin.baseWindows];
    for (const window of windows) if (!window.isDestroyed()) window.close();
    if (windows.some((window) => !window.isDestroyed()) || !this.#goesOn('will-quit')) return;
    this.emit('quit', {}, 0);
    standin.said.push('exit 0');
  }
  #goesOn(name: 'before-quit' | 'will-quit'): boolean {
    const event = preventable();
    this.emit(name, event);
    return !event.isPrevented;
  }
}
export const app = new App();

export const ipcMain = {
  handle(channel: string, handler: Handler): void {
    if (standin.handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    standin.handlers.set(channel, handler);
  },
};
export const protocol = {
  registerSchemesAsPrivileged(schemes: { scheme: string }[]): void {
    standin.privileged.push(...schemes);
  },
  handle(scheme: string, handler: Scheme): void {
    standin.schemes.set(scheme, handler);
  },
};
export const session = {
  defaultSession: {
    setPermissionRequestHandler(handler: PermissionRequestHandler): void {
      standin.permissions.request = handler;
    },
    setPermissionCheckHandler(handler: PermissionCheckHandler): void {
      standin.permissions.check = handler;
    },
  },
};
export const dialog = {
  /** The window argument is optional. */
  async showMessageBox(...[first, second]: unknown[]) {
    const { message, cancelId } = (second ?? first) as { message: string; cancelId: number };
    standin.said.push(`box ${message}`);
    return { response: standin.answers.shift() ?? cancelId };
  },
  showMessageBoxSync({ message, cancelId }: { message: string; cancelId: number }): number {
    standin.said.push(`box ${message}`);
    return standin.answers.shift() ?? cancelId;
  },
  async showOpenDialog(_window: unknown, { title }: { title: string }) {
    standin.said.push(`pick ${title}`);
    const path = standin.paths.shift();
    return { canceled: path === undefined, filePaths: path === undefined ? [] : [path] };
  },
  async showSaveDialog(_window: unknown, { title }: { title: string }) {
    standin.said.push(`save ${title}`);
    const path = standin.paths.shift();
    return { canceled: path === undefined, filePath: path ?? '' };
  },
  showErrorBox(title: string, content: string): void {
    standin.said.push(`box ${title}: ${content}`);
  },
};
export const shell = {
  async openExternal(url: string): Promise<void> {
    standin.said.push(`external ${url}`);
  },
  async openPath(path: string): Promise<string> {
    standin.said.push(`path ${path}`);
    return '';
  },
};
export const clipboard = {
  async writeText(text: string): Promise<void> {
    standin.said.push(`clipboard ${text}`);
  },
};
/** The mark of what was encrypted: by a keyring, or by the key that is part of the program. */
const keyMark = (): string => (standin.hasKeychain ? 'v11' : 'v10');
export const safeStorage = {
  /** True even if Linux has no keyring. */
  isAsyncEncryptionAvailable: async (): Promise<boolean> => true,
  getSelectedStorageBackend: (): string => 'gnome_libsecret',
  async encryptStringAsync(text: string): Promise<Buffer> {
    await standin.keychainOpens;
    return Buffer.concat([Buffer.from(keyMark()), Buffer.from(text).reverse()]);
  },
  async decryptStringAsync(bytes: Buffer) {
    await standin.keychainOpens;
    if (bytes.subarray(0, 3).toString() !== keyMark())
      throw new Error('Error while decrypting the ciphertext');
    return { result: Buffer.from(bytes.subarray(3)).reverse().toString(), shouldReEncrypt: false };
  },
};
/** As on Windows with dark apps and a light taskbar, or the other way round, the two can differ. */
export const nativeTheme = Object.assign(new EventEmitter(), {
  shouldUseDarkColors: false,
  shouldUseDarkColorsForSystemIntegratedUI: true,
});
export const powerMonitor = Object.assign(new EventEmitter(), {
  /** As documented, the system goes on at once unless the app prevents it; on Linux and macOS. */
  shutDown(): void {
    const event = preventable();
    powerMonitor.emit('shutdown', event);
    if (!event.isPrevented) standin.said.push('killed by the system');
  },
});
/** Windows ends the session: windows are told, before-quit is not emitted, and then the process is killed. */
export function endWindowsSession(): void {
  const open = [...standin.windows, ...standin.baseWindows].filter((window) => !window.isDestroyed());
  const events = open.map((window) => {
    const event = preventable({ reasons: ['logoff'] });
    window.emit('query-session-end', event);
    return event;
  });
  if (events.some(({ isPrevented }) => isPrevented)) return;
  for (const window of open) window.emit('session-end', { reasons: ['logoff'] });
  standin.said.push('killed by the system');
}
let blockers = 0;
export const powerSaveBlocker = {
  start(kind: string): number {
    standin.blockers.set(++blockers, kind);
    return blockers;
  },
  stop: (id: number): boolean => standin.blockers.delete(id),
};
export const screen = {
  getPrimaryDisplay: () => ({ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }),
  /** On a second display, to the right of the first one. */
  getCursorScreenPoint: () => ({ x: 2000, y: 300 }),
  getDisplayNearestPoint: ({ x }: { x: number }) => ({
    workArea: { x: x < 1920 ? 0 : 1920, y: 0, width: 1920, height: 1080 },
  }),
};
export const nativeImage = {
  /** As documented, the image is empty if there is no such file. */
  createFromPath: (path: string) => ({
    isEmpty: () => !existsSync(path),
    setTemplateImage(_on: boolean): void {},
  }),
};

standin.emitters.push(powerMonitor, nativeTheme);
standin.apps.push(app);
