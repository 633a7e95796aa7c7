/** The console's window: one, hidden when it is closed, so that it is there at once when it is asked for again. */
import type { BrowserWindow } from 'electron';
import { consoleOrigin } from './console-origin.rules.ts';

export interface ConsoleWindow {
  /** Shows it. `path`: the page to show; without it, the one that is open, `firstPage` when none is. */
  open(path?: string): void;
  /** Null while there is none. */
  readonly window: BrowserWindow | null;
  /** A person looks at it. */
  readonly isInFront: boolean;
}

export interface ConsoleWindowDeps {
  open(path: string): BrowserWindow;
  /** Path and fragment; null while there is nothing to show. */
  firstPage(): string | null;
  /** Then closing it closes it. */
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
