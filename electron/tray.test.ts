import { beforeEach, expect, test } from 'vitest';
import { standin } from '../test/standin/standin.ts';
import { createTray } from './tray.ts';

beforeEach(() => standin.reset());

test.each([
  ['linux', ['openConsole']],
  ['win32', ['openConsole']],
  // The system opens the menu, and reports the click as well.
  ['darwin', []],
])('a click on the tray of %s does %j', (platform, expected) => {
  const done: string[] = [];
  createTray({ folder: '/none', platform, act: ({ kind }) => done.push(kind) });
  standin.trays[0]?.emit('click');
  expect(done).toEqual(expected);
});
