import { expect, test } from 'vitest';
import { keptArguments, startArgumentsOf } from './start-arguments.rules.ts';

const never = () => {
  throw new Error('only macOS is asked');
};

test('stays hidden at login: by the argument, and on macOS because the system says so', () => {
  expect(startArgumentsOf(['muster', '--hidden'], 'linux', never).isHidden).toBe(true);
  expect(startArgumentsOf(['muster'], 'win32', never).isHidden).toBe(false);
  expect(startArgumentsOf(['muster'], 'darwin', () => ({ wasOpenedAtLogin: true })).isHidden).toBe(true);
  expect(startArgumentsOf(['muster'], 'darwin', () => ({ wasOpenedAtLogin: false })).isHidden).toBe(false);
  expect(startArgumentsOf(['muster'], 'darwin', () => ({})).isHidden).toBe(false);
});

test('shows the app after it was restarted, and does not repeat what an earlier start was told', () => {
  expect(keptArguments(['.', '--hidden', '--inspect', '--update-failed'])).toEqual(['.', '--inspect']);
  expect(startArgumentsOf(['muster', '--update-failed'], 'linux', never).hasUpdateFailed).toBe(true);
});
