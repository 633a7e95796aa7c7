import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { expect, onTestFinished, test } from 'vitest';
import { createConsoleWindow } from './console-window.ts';

/** The engine's window, as far as it is used. */
function openedWindow(loaded: string[]): BrowserWindow {
  const window = Object.assign(new EventEmitter(), {
    webContents: new EventEmitter(),
    loadURL: async (url: string) => void loaded.push(url),
    show: () => undefined,
    focus: () => undefined,
    isDestroyed: () => false,
  });
  onTestFinished(() => void window.emit('closed'));
  return window as unknown as BrowserWindow;
}

test('replaces a page that says that the broker does not answer, and an open console only if nobody answers it', () => {
  const loaded: string[] = [];
  const window = createConsoleWindow({
    open: () => openedWindow(loaded),
    firstPage: () => '/app',
    isQuitting: () => false,
  });
  window.open();
  window.refresh();
  expect(loaded).toEqual([]);
  // The broker may stop answering between the start of the load and the request for the page.
  window.noteFault();
  window.refresh();
  expect(loaded).toEqual(['muster://console/app']);
  window.refresh();
  expect(loaded).toHaveLength(1);
  // Nobody can answer the open console anymore.
  window.refresh(true);
  expect(loaded).toHaveLength(2);
});
