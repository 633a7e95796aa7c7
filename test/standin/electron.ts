/**
 * A small stand-in for `electron`, from its documentation: windows are pages of a real Chromium, the console's scheme is answered by request
 * interception, everything of the desktop itself is recorded. Tests alias `electron` to this file always: the real one would be fetched.
 */
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { appUrl, openWindowPage, shownUrl } from './window-page.ts';

type Scheme = (request: Request) => Promise<Response>;
type Handler = (event: object, argument: unknown) => unknown;
interface Asker {
  isMainFrame: boolean;
  requestingUrl: string;
}
type PermissionRequestHandler = (
  contents: object,
  permission: string,
  answer: (isGranted: boolean) => void,
  asker: Asker,
) => void;
type PermissionCheckHandler = (
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
  async stop(): Promise<void> {
    await (await browser)?.close();
    browser = undefined;
  },
  /** As a new process finds it. */
  reset(): void {
    for (const list of [standin.windows, standin.trays, standin.said, standin.privileged]) list.length = 0;
    for (const list of [standin.answers, standin.paths, standin.notifications]) list.length = 0;
    for (const map of [standin.handlers, standin.schemes]) map.clear();
    for (const emitter of [app, powerMonitor, nativeTheme]) emitter.removeAllListeners();
    standin.isSandboxed = false;
    standin.permissions = { request: null, check: null };
  },
};

let browser: Promise<Browser> | undefined;

class App extends EventEmitter {
  isPackaged = false;
  getAppPath = (): string => standin.appPath;
  getVersion = (): string => '0.0.0';
  /** Of a packed app only; a checkout has none. */
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
  /** As documented: before-quit can prevent it. */
  quit(): void {
    const event = preventable();
    this.emit('before-quit', event);
    if (!event.isPrevented) this.exit(0);
  }
}
export const app = new App();

function preventable<T extends object>(more?: T) {
  const event = {
    ...(more as T),
    isPrevented: false,
    preventDefault(): void {
      event.isPrevented = true;
    },
  };
  return event;
}

class WebContents extends EventEmitter {
  readonly window: BrowserWindow;
  openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' });
  constructor(window: BrowserWindow) {
    super();
    this.window = window;
  }
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }
  isDestroyed = (): boolean => this.window.isDestroyed();
  send(channel: string, ...args: unknown[]): void {
    void this.window.inPreload(`standinSend(${JSON.stringify(channel)}, ${JSON.stringify(args)})`);
  }
  reload(): void {
    void this.window.page.then((page) => page.reload());
  }
}

interface Options {
  width: number;
  height: number;
  title: string;
  webPreferences: { preload: string; additionalArguments: string[] };
}

export class BrowserWindow extends EventEmitter {
  readonly options: Options;
  readonly webContents: WebContents;
  readonly page: Promise<Page>;
  title: string;
  isShown = false;
  /** In order, with the time in ms of `performance.now()`. */
  readonly changes: { what: 'shown' | 'ignores the mouse' | 'takes the mouse'; at: number }[] = [];
  position = [0, 0];
  #isGone = false;
  #cdp: CDPSession | undefined;
  #contextId: number | undefined;

  static fromWebContents = (contents: WebContents): BrowserWindow | null =>
    contents.isDestroyed() ? null : contents.window;

  constructor(options: Options) {
    super();
    this.options = options;
    this.title = options.title;
    this.webContents = new WebContents(this);
    this.page = this.#makePage();
    // Closed before it was there; who needs the page hears it.
    this.page.catch(() => undefined);
    standin.windows.push(this);
  }

  async #makePage(): Promise<Page> {
    browser ??= standin.launch();
    const { width, height, webPreferences } = this.options;
    const { page, cdp } = await openWindowPage({
      browser: await browser,
      width,
      height,
      preload: webPreferences.preload,
      args: webPreferences.additionalArguments,
      answer: () => standin.schemes.get('muster'),
      onNavigation: (url, isMainFrame) => {
        const event = preventable({ url, isMainFrame });
        this.webContents.emit('will-frame-navigate', event);
        if (event.isPrevented) return false;
        this.webContents.emit('did-start-navigation', { isMainFrame, isSameDocument: false });
        return true;
      },
      onWindowOpen: (url) => void this.webContents.openHandler({ url }),
      onCall: (payload, contextId) => void this.#answer(payload, contextId),
      onPreload: (contextId) => {
        this.#contextId = contextId;
      },
    });
    this.#cdp = cdp;
    return page;
  }

  async #answer(payload: string, contextId: number): Promise<void> {
    const { call, channel, argument } = JSON.parse(payload) as {
      call: number;
      channel: string;
      argument: unknown;
    };
    const url = appUrl((await this.page).url());
    const event = { sender: this.webContents, senderFrame: { parent: null, url } };
    const handler = standin.handlers.get(channel);
    const answer = await Promise.resolve()
      .then(() => {
        if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
        return handler(event, argument);
      })
      .then((value) => ({ call, value }))
      .catch((error: unknown) => ({ call, error: String(error) }));
    await this.#cdp
      ?.send('Runtime.evaluate', { expression: `standinAnswer(${JSON.stringify(answer)})`, contextId })
      .catch(() => undefined);
  }

  async inPreload(expression: string): Promise<void> {
    await this.page;
    if (this.#contextId === undefined) return;
    // A page that has just gone hears nothing.
    await this.#cdp
      ?.send('Runtime.evaluate', { expression, contextId: this.#contextId })
      .catch(() => undefined);
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.page;
    await page.goto(shownUrl(url), { waitUntil: 'domcontentloaded' });
    this.emit('ready-to-show');
  }
  show(): void {
    this.isShown = true;
    this.changes.push({ what: 'shown', at: performance.now() });
  }
  showInactive(): void {
    this.show();
  }
  hide(): void {
    this.isShown = false;
  }
  focus(): void {
    standin.focused = this;
  }
  isFocused = (): boolean => standin.focused === this && this.isShown;
  setTitle(title: string): void {
    this.title = title;
  }
  setPosition(x: number, y: number): void {
    this.position = [x, y];
  }
  getBounds() {
    const { width, height } = this.options;
    return { x: 0, y: 0, width, height };
  }
  setIgnoreMouseEvents(ignore: boolean): void {
    this.changes.push({ what: ignore ? 'ignores the mouse' : 'takes the mouse', at: performance.now() });
  }
  /** As documented: `close` can prevent it. */
  close(): void {
    const event = preventable();
    this.emit('close', event);
    if (!event.isPrevented) this.destroy();
  }
  destroy(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.isShown = false;
    void this.page.then((page) => page.close()).catch(() => undefined);
    this.emit('closed');
  }
  isDestroyed = (): boolean => this.#isGone;
}

export interface MenuTemplateItem {
  label?: string;
  type?: string;
  enabled?: boolean;
  checked?: boolean;
  accelerator?: string;
  role?: string;
  submenu?: MenuTemplateItem[];
  /** As documented: the item comes along, and a checkbox has turned its mark already. */
  click?(item: MenuTemplateItem): void;
}
export class Menu {
  items: MenuTemplateItem[] = [];
  static setApplicationMenu(menu: Menu): void {
    standin.appMenu = menu;
  }
  static buildFromTemplate(items: MenuTemplateItem[]): Menu {
    return Object.assign(new Menu(), { items });
  }
}

export class Notification extends EventEmitter {
  readonly title: string;
  readonly body: string;
  constructor({ title, body }: { title: string; body: string }) {
    super();
    this.title = title;
    this.body = body;
  }
  static isSupported = (): boolean => standin.hasNotifications;
  /** As documented: `show` follows, or `failed` where the system refuses. */
  show(): void {
    standin.notifications.push(this);
    standin.said.push(`notification ${this.title}: ${this.body}`);
    this.emit(standin.refusesNotifications ? 'failed' : 'show');
  }
  close(): void {
    this.emit('close');
  }
}

export class Tray extends EventEmitter {
  tooltip = '';
  menu = new Menu();
  isGone = false;
  hasImage: boolean;
  constructor(image: { isEmpty(): boolean }) {
    super();
    this.hasImage = !image.isEmpty();
    standin.trays.push(this);
  }
  setImage(image: { isEmpty(): boolean }): void {
    this.hasImage = !image.isEmpty();
  }
  setToolTip(tooltip: string): void {
    this.tooltip = tooltip;
  }
  setContextMenu(menu: Menu): void {
    this.menu = menu;
  }
  getBounds = () => ({ x: 0, y: 0, width: 0, height: 0 });
  destroy(): void {
    this.isGone = true;
    standin.said.push('tray gone');
  }
}

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
  /** The window is optional. */
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
  /** Linux's word for having none. */
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
  /** As documented: an empty image where there is no such file. */
  createFromPath: (path: string) => ({
    isEmpty: () => !existsSync(path),
    setTemplateImage(_on: boolean): void {},
  }),
};
