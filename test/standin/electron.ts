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

export { BrowserWindow } from './browser-window.ts';
export { Menu, Notification, Tray } from './menus.ts';

class App extends EventEmitter {
  isPackaged = false;
  getAppPath = (): string => standin.appPath;
  getVersion = (): string => '0.0.0';
  /** Only a packed app has one; a checkout has none. */
  getLoginItemSettings = () => ({ openAtLogin: false });
  setLoginItemSettings(): void {}
  setPath(name: string, path: string): void {
    standin.said.push(`path ${name} ${path}`);
  }
  enableSandbox(): void {
    standin.isSandboxed = true;
  }
  requestSingleInstanceLock = (): boolean => true;
  whenReady = async (): Promise<void> => undefined;
  relaunch(): void {
    standin.said.push('relaunch');
  }
  exit(code = 0): void {
    standin.said.push(`exit ${code}`);
  }
  /** As documented, before-quit can prevent it. */
  quit(): void {
    const event = preventable();
    this.emit('before-quit', event);
    if (!event.isPrevented) this.exit(0);
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
export const safeStorage = {
  isAsyncEncryptionAvailable: async (): Promise<boolean> => standin.hasKeychain,
  /** The name that Linux uses for having none. */
  getSelectedStorageBackend: (): string => (standin.hasKeychain ? 'gnome_libsecret' : 'basic_text'),
  encryptStringAsync: async (text: string): Promise<Buffer> => Buffer.from(text).reverse(),
  decryptStringAsync: async (bytes: Buffer) => ({
    result: Buffer.from(bytes).reverse().toString(),
    shouldReEncrypt: false,
  }),
};
export const nativeTheme = Object.assign(new EventEmitter(), { shouldUseDarkColors: false });
export const powerMonitor = new EventEmitter();
export const screen = {
  getPrimaryDisplay: () => ({ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }),
};
export const nativeImage = {
  /** As documented, the image is empty if there is no such file. */
  createFromPath: (path: string) => ({
    isEmpty: () => !existsSync(path),
    setTemplateImage(_on: boolean): void {},
  }),
};

standin.emitters.push(app, powerMonitor, nativeTheme);
