/** The console's only window. Closing it hides it, so that it reopens immediately. */
import type { BrowserWindow } from 'electron';
import { consoleOrigin } from './console-origin.rules.ts';

export interface ConsoleWindow {
  /**
   * Shows the window at `path`. Without a path, it keeps the current page, or opens `firstPage` if there is
   * none.
   */
  open(path?: string): void;
  /** Null while there is no window. */
  readonly window: BrowserWindow | null;
  /** Whether the window has the focus. */
  readonly isInFront: boolean;
}

export interface ConsoleWindowDeps {
  open(path: string): BrowserWindow;
  /** Path and fragment; null while there is nothing to show. */
  firstPage(): string | null;
  /** While the app quits, closing the window closes it. */
  isQuitting(): boolean;
}

export function createConsoleWindow({ open, firstPage, isQuitting }: ConsoleWindowDeps): ConsoleWindow {
  let window: BrowserWindow | null = null;
  return {
    get window() {
      return window;
    },
    get isInFront() {
      return window?.isFocused() ?? false;
    },
    open(path) {
      const first = firstPage();
      if (first === null) return;
      if (window === null) {
        const opened = open(path ?? first);
        window = opened;
        opened.once('ready-to-show', () => opened.show());
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
      if (path !== undefined) void window.loadURL(consoleOrigin + path);
      window.show();
      window.focus();
    },
  };
}
