/** The console's only window. Closing it hides it, so that it reopens immediately. */
import type { BrowserWindow } from 'electron';
import { consoleOrigin } from './console-origin.rules.ts';
import { whenReady } from './when-ready.ts';

export interface ConsoleWindow {
  /**
   * Shows the window at `path`. Without a path, it keeps the current page, or opens `firstPage` if there is
   * none. While the broker does not run, the page says why.
   */
  open(path?: string): void;
  /** The page that was asked for says that the broker does not answer. */
  noteFault(): void;
  /**
   * Loads the right page after the broker started or failed, unless the console is open. `isUnserved`: the console that is
   * open cannot be answered, so that it is replaced, too.
   */
  refresh(isUnserved?: boolean): void;
  /** Null while there is no window. */
  readonly window: BrowserWindow | null;
  /** Whether the window has the focus. */
  readonly isInFront: boolean;
}

export interface ConsoleWindowDeps {
  open(path: string): BrowserWindow;
  /** Path and fragment. */
  firstPage(): string;
  /** While the app quits, closing the window closes it. */
  isQuitting(): boolean;
}

export function createConsoleWindow({ open, firstPage, isQuitting }: ConsoleWindowDeps): ConsoleWindow {
  let window: BrowserWindow | null = null;
  let isFault = false;
  const load = (path: string): void => {
    isFault = false;
    // A page that is replaced while it loads rejects; the window factory reports what fails.
    window?.loadURL(consoleOrigin + path).catch(() => undefined);
  };
  return {
    get window() {
      return window;
    },
    get isInFront() {
      return window?.isFocused() ?? false;
    },
    open(path) {
      if (window === null) {
        isFault = false;
        const opened = open(path ?? firstPage());
        window = opened;
        whenReady(opened, () => opened.show());
        opened.on('close', (event) => {
          if (isQuitting()) return;
          event.preventDefault();
          opened.hide();
        });
        opened.on('closed', () => {
          window = null;
        });
        return;
      }
      if (path !== undefined) load(path);
      window.show();
      window.focus();
    },
    noteFault() {
      isFault = true;
    },
    refresh(isUnserved = false) {
      if (window !== null && (isFault || isUnserved) && !isQuitting()) load(firstPage());
    },
  };
}
