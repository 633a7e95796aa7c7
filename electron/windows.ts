/** The only window factory. It decides about navigation, popups, and reloads for every window. */
import { BrowserWindow, dialog, shell, type WebContents } from 'electron';
import { addressArgument } from './bridge.ts';
import { consoleOrigin, navigationOf } from './console-origin.rules.ts';
import { type FailureLog, tellFailure } from './failure-box.ts';
import { type WindowKind, windowOptions } from './window-options.rules.ts';

export interface Windows {
  open(kind: WindowKind, path: string): BrowserWindow;
  isOwn(contents: WebContents): boolean;
}

export interface WindowsDeps {
  preload: string;
  address(): string;
  /** Called with a new window of the console. */
  onConsole(window: BrowserWindow): void;
  /** Called when the page is gone or another one replaces it. */
  onPageGone(contents: WebContents): void;
  log: FailureLog & { error(details: object, message: string): void };
}

export function createWindows({ preload, address, onConsole, onPageGone, log }: WindowsDeps): Windows {
  const own = new Set<WebContents>();
  const goTo = (window: BrowserWindow, address: string): void => {
    follow(window, address).catch(tellFailure(log, 'The address could not be opened'));
  };

  return {
    isOwn: (contents) => own.has(contents),
    open(kind, path) {
      const window = new BrowserWindow(windowOptions(kind, preload, addressArgument + address()));
      const { webContents } = window;
      own.add(webContents);
      if (kind === 'console') onConsole(window);
      webContents.setWindowOpenHandler(({ url }) => {
        goTo(window, url);
        return { action: 'deny' };
      });
      webContents.on('will-frame-navigate', (event) => {
        const { kind } = navigationOf(event.url);
        if (kind === 'stay' && event.isMainFrame) return;
        event.preventDefault();
        if (kind === 'ask' && event.isMainFrame) goTo(window, event.url);
      });
      // A redirect is not announced as a navigation.
      webContents.on('will-redirect', (event) => {
        if (navigationOf(event.url).kind !== 'stay') event.preventDefault();
      });
      webContents.on('will-attach-webview', (event) => event.preventDefault());
      // A navigation that has only started may be refused or become a download, and the page stays.
      webContents.on('did-navigate', () => onPageGone(webContents));
      webContents.on('did-fail-load', (_event, code, _description, _address, isMainFrame) => {
        if (isMainFrame && code !== aborted) onPageGone(webContents);
      });
      let reloadedAt: number | null = null;
      webContents.on('render-process-gone', (_event, details) => {
        onPageGone(webContents);
        log.error({ reason: details.reason, exitCode: details.exitCode }, 'a page ended');
        if (details.reason === 'clean-exit') return;
        const isAgain = reloadedAt !== null && performance.now() - reloadedAt < steadyMs;
        reloadedAt = performance.now();
        if (!isAgain) webContents.reload();
        else
          offerReload(window).catch((error: unknown) => log.error({ err: error }, 'a page was not reloaded'));
      });
      window.on('closed', () => {
        own.delete(webContents);
        onPageGone(webContents);
      });
      void window
        .loadURL(consoleOrigin + path)
        .catch((error: unknown) => log.error({ err: error }, 'a page did not load'));
      return window;
    },
  };
}

/** The engine's code for a navigation that was stopped before it replaced the page. */
const aborted = -3;

/** A page that ends again within this time is not loaded again without a question, in ms. */
const steadyMs = 60_000;

/**
 * A page that keeps ending is loaded only on request, so that the window is neither dead nor in a loop. That of a
 * hidden window is loaded when the person opens it.
 */
async function offerReload(window: BrowserWindow): Promise<void> {
  if (!window.isVisible()) {
    window.once('show', () => window.webContents.reload());
    return;
  }
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    message: 'This page ended unexpectedly, twice within a minute.',
    detail: 'Muster goes on running, and nothing that it acknowledged is lost.',
    buttons: ['Load the page again', 'Close the window'],
    defaultId: 0,
    cancelId: 1,
  });
  if (window.isDestroyed()) return;
  if (response === 0) window.webContents.reload();
  else window.destroy();
}

/** Opens an external address in the system's browser after showing its host. */
async function follow(window: BrowserWindow, address: string): Promise<void> {
  const target = navigationOf(address);
  if (target.kind === 'stay') await window.loadURL(address);
  if (target.kind !== 'ask') return;
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: `Open ${target.host} in your browser?`,
    detail: target.url.length > 300 ? `${target.url.slice(0, 300)}…` : target.url,
    buttons: ['Open', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
  });
  if (response === 0) await shell.openExternal(target.url);
}
