import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { BrowserWindow } from '../test/standin/electron.ts';
import { preventable, standin } from '../test/standin/standin.ts';
import { createApprovalWindow } from './approval-window.ts';
import { windowOptions } from './window-options.rules.ts';

let now: number;
beforeEach(() => {
  standin.reset();
  // The pages stay loading until a test says otherwise.
  standin.launch = () => new Promise(() => undefined);
  now = 1000;
});
afterEach(() => {
  for (const window of standin.windows) window.destroy();
  standin.browser = undefined;
});

const waiting = (userCode: string): PendingEnrollment => ({
  userCode,
  labelHint: null,
  createdAt: 0,
  expiresAt: 1_000_000,
  sourceIp: '192.0.2.1',
  userAgent: 'svc',
});

function approvals() {
  const view = createApprovalWindow({
    open: () => new BrowserWindow(windowOptions('approval', 'preload', '')) as never,
    onNew: () => undefined,
    trayBox: () => null,
    now: () => now,
  });
  const windowAt = (at: number): BrowserWindow => {
    const found = standin.windows[at];
    if (found === undefined) throw new Error(`there is no window ${at}`);
    return found;
  };
  const load = (at: number) => windowAt(at).webContents.emit('did-finish-load');
  const takesKeys = (at: number): boolean => {
    const event = preventable();
    windowAt(at).webContents.emit('before-input-event', event, {});
    return !event.isPrevented;
  };
  return { view, windowAt, load, takesKeys };
}

test('takes no keys until it has been in front for a while', () => {
  const { view, load, takesKeys } = approvals();
  view.update([waiting('AAAA-1111')]);
  expect(takesKeys(0)).toBe(false);
  load(0);
  expect(takesKeys(0)).toBe(false);
  now += 700;
  expect(takesKeys(0)).toBe(true);
});

test('a code that is chosen while its window is open is armed again', () => {
  const { view, windowAt, load, takesKeys } = approvals();
  view.update([waiting('AAAA-1111')]);
  load(0);
  now += 700;
  expect(windowAt(0).isFocused()).toBe(false);
  view.show('AAAA-1111');
  expect(windowAt(0).isFocused()).toBe(true);
  expect(takesKeys(0)).toBe(false);
  expect(windowAt(0).changes.at(-2)).toMatchObject({ what: 'ignores the mouse' });
  now += 700;
  expect(takesKeys(0)).toBe(true);
});

test('a code that is chosen while its window loads is shown, with the focus, once the page is there', () => {
  const { view, windowAt, load, takesKeys } = approvals();
  view.update([waiting('AAAA-1111')]);
  view.show('AAAA-1111');
  expect(windowAt(0).isVisible()).toBe(false);
  expect(takesKeys(0)).toBe(false);
  load(0);
  expect(windowAt(0).isFocused()).toBe(true);
  expect(takesKeys(0)).toBe(false);
});

test('moves on to the next code without taking the focus, and closes after the last one', () => {
  const { view, windowAt, load } = approvals();
  view.update([waiting('AAAA-1111'), waiting('BBBB-2222')]);
  load(0);
  view.update([waiting('BBBB-2222')]);
  load(1);
  expect(windowAt(0).isDestroyed()).toBe(true);
  expect(windowAt(1).title).toContain('BBBB-2222');
  expect(windowAt(1).isVisible()).toBe(true);
  expect(windowAt(1).isFocused()).toBe(false);
  view.update([]);
  expect(windowAt(1).isDestroyed()).toBe(true);
});
