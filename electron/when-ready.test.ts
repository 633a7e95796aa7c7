import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whenReady } from './when-ready.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Window extends EventEmitter {
  webContents = new EventEmitter();
  isGone = false;
  isDestroyed = (): boolean => this.isGone;
}

function watched() {
  const window = new Window();
  const shows: string[] = [];
  whenReady(window, () => shows.push('shown'));
  return { window, shows };
}

test.each([
  ['its page was painted', (window: Window) => window.emit('ready-to-show')],
  ['its page was loaded, as on Wayland', (window: Window) => window.webContents.emit('did-finish-load')],
  ['nothing came for two seconds', () => vi.advanceTimersByTime(2000)],
])('shows the window when %s', (_case, happens) => {
  const { window, shows } = watched();
  expect(shows).toEqual([]);
  happens(window);
  expect(shows).toEqual(['shown']);
});

test('shows the window once', () => {
  const { window, shows } = watched();
  window.emit('ready-to-show');
  window.webContents.emit('did-finish-load');
  vi.advanceTimersByTime(5000);
  expect(shows).toEqual(['shown']);
});

test('does not show a window again that was shown before its page was there, because it may be hidden now', () => {
  const { window, shows } = watched();
  window.emit('show');
  window.webContents.emit('did-finish-load');
  vi.advanceTimersByTime(5000);
  expect(shows).toEqual([]);
});

test('shows nothing of a window that was closed before', () => {
  const { window, shows } = watched();
  window.isGone = true;
  window.emit('closed');
  vi.advanceTimersByTime(5000);
  expect(shows).toEqual([]);
});
