import { beforeEach, expect, test } from 'vitest';
import { endWindowsSession } from '../test/standin/electron.ts';
import { standin } from '../test/standin/standin.ts';
import { watchSessionEnd } from './session-end.ts';

beforeEach(() => standin.reset());

test('Windows waits for the app when the session ends, even if no window is open', () => {
  const ends: string[] = [];
  watchSessionEnd('win32', () => ends.push('end'));
  endWindowsSession();
  expect(ends).toEqual(['end']);
  expect(standin.said).toEqual([]);
});

test('an app that does not watch is killed without an event of its own', () => {
  watchSessionEnd('linux', () => expect.unreachable());
  endWindowsSession();
  expect(standin.said).toEqual(['killed by the system']);
});

test('the watching window is gone after the end', () => {
  const unwatch = watchSessionEnd('win32', () => undefined);
  unwatch();
  expect(standin.baseWindows.map((window) => window.isDestroyed())).toEqual([true]);
});
