import { expect, test } from 'vitest';
import { isRealKeychain } from './keychain.rules.ts';

const sealed = (mark: string) => Buffer.from(`${mark}…`);

test.each([
  ['darwin', null, 'v10', true],
  ['win32', null, 'v10', true],
  ['linux', 'gnome_libsecret', 'v11', true],
  ['linux', 'kwallet6', 'v11', true],
  // The engine names a keyring, but encrypts with the key that is part of the program.
  ['linux', 'gnome_libsecret', 'v10', false],
  ['linux', 'basic_text', 'v10', false],
  ['linux', 'basic_text', 'v11', false],
  ['linux', 'unknown', 'v11', false],
  ['linux', null, 'v11', false],
])('decides for %s (backend: %s, mark: %s) that real is %s', (platform, backend, mark, isReal) => {
  expect(isRealKeychain({ platform, backend, sealed: sealed(mark), opened: 'text' }, 'text')).toBe(isReal);
});

test('a keychain that does not give back what it got is none', () => {
  const probe = { platform: 'darwin', backend: null, sealed: sealed('v10') };
  expect(isRealKeychain({ ...probe, opened: 'other' }, 'text')).toBe(false);
  expect(isRealKeychain({ ...probe, sealed: null, opened: null }, 'text')).toBe(false);
});
