/** Windows: pages of a real Chromium whose requests the app's scheme answers. */
import { EventEmitter } from 'node:events';
import type { CDPSession, Page } from 'playwright-core';
import { preventable, standin } from './standin.ts';
import { appUrl, openWindowPage, shownUrl } from './window-page.ts';

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

/** The size of a window's frame on Windows. */
const frame = { width: 16, height: 39 };

/** Bytes, as the page's world packed them. */
function revived(_key: string, value: unknown): unknown {
  const packed = value !== null && typeof value === 'object' && 'standinBytes' in value;
  return packed ? new Uint8Array(Buffer.from(String(value.standinBytes), 'base64')) : value;
}

interface Options {
  width: number;
  height: number;
  useContentSize?: boolean;
  name?: string;
  title: string;
  webPreferences: { preload: string; additionalArguments: string[] };
}

/** A window without a page, which only receives what the system tells windows. */
export class BaseWindow extends EventEmitter {
  readonly options: { show: boolean };
  #isGone = false;
  constructor(options: { show: boolean }) {
    super();
    this.options = options;
    standin.baseWindows.push(this);
  }
  close(): void {
    this.destroy();
  }
  destroy(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.emit('closed');
  }
  isDestroyed = (): boolean => this.#isGone;
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
    const isTaken = standin.windows.some((one) => !one.isDestroyed() && one.options.name === options.name);
    if (options.name !== undefined && isTaken)
      throw new Error(`Window name '${options.name}' is already in use`);
    this.options = options;
    this.title = options.title;
    this.webContents = new WebContents(this);
    this.page = this.#makePage();
    // The window was closed before its page existed; whoever needs the page gets the error.
    this.page.catch(() => undefined);
    standin.windows.push(this);
  }

  async #makePage(): Promise<Page> {
    standin.browser ??= standin.launch();
    const { webPreferences } = this.options;
    const { width, height } = this.#contentSize();
    const { page, cdp } = await openWindowPage({
      browser: await standin.browser,
      width,
      height,
      preload: webPreferences.preload,
      args: webPreferences.additionalArguments,
      answer: () => standin.schemes.get('muster'),
      onNavigation: (url, isMainFrame) => {
        this.webContents.emit('did-start-navigation', { isMainFrame, isSameDocument: false });
        const event = preventable({ url, isMainFrame });
        this.webContents.emit('will-frame-navigate', event);
        return !event.isPrevented;
      },
      onNavigated: (url) => void this.webContents.emit('did-navigate', {}, url),
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
    const { call, channel, argument } = JSON.parse(payload, revived) as {
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
    // A page that has just gone receives nothing.
    await this.#cdp
      ?.send('Runtime.evaluate', { expression, contextId: this.#contextId })
      .catch(() => undefined);
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.page;
    await page.goto(shownUrl(url));
    // As on Wayland, a hidden window is not painted, so `ready-to-show` does not come.
    this.webContents.emit('did-finish-load');
  }
  /** As documented, it gives the focus to the window. */
  show(): void {
    this.showInactive();
    this.focus();
  }
  showInactive(): void {
    this.isShown = true;
    this.changes.push({ what: 'shown', at: performance.now() });
    this.emit('show');
  }
  isVisible = (): boolean => this.isShown;
  isMinimized = (): boolean => false;
  restore(): void {}
  hide(): void {
    this.isShown = false;
    this.emit('hide');
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
  #contentSize(): { width: number; height: number } {
    const { width, height, useContentSize = false } = this.options;
    return useContentSize ? { width, height } : { width: width - frame.width, height: height - frame.height };
  }
  /** With the frame. */
  getBounds() {
    const { width, height } = this.#contentSize();
    const [x = 0, y = 0] = this.position;
    return { x, y, width: width + frame.width, height: height + frame.height };
  }
  setIgnoreMouseEvents(ignore: boolean): void {
    this.changes.push({ what: ignore ? 'ignores the mouse' : 'takes the mouse', at: performance.now() });
  }
  /** As documented, `close` can be prevented. */
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
