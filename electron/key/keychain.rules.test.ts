import { expect, test } from 'vitest';
import { isRealKeychain } from './keychain.rules.ts';

test.each([
  ['darwin', true, null, true],
  ['win32', true, null, true],
  ['linux', true, 'gnome_libsecret', true],
  ['linux', true, 'kwallet6', true],
  ['linux', true, 'basic_text', false],
  ['linux', true, 'unknown', false],
  ['linux', true, null, false],
  ['linux', false, 'gnome_libsecret', false],
  ['darwin', false, null, false],
])(
  'decides for %s (available: %s, backend: %s) that real is %s',
  (platform, isAvailable, backend, isReal) => {
    expect(isRealKeychain({ platform, isAvailable, backend })).toBe(isReal);
  },
);
