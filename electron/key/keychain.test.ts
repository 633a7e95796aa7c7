import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { safeStorage } from '../../test/standin/electron.ts';
import { standin } from '../../test/standin/standin.ts';
import { findKeychain } from './keychain.ts';

let warnings: string[];
const onLate = () => void warnings.push('answered late');
const log = { warn: (_details: object, message: string) => void warnings.push(message) };
beforeEach(() => {
  standin.reset();
  warnings = [];
});
afterEach(() => {
  standin.hasKeychain = false;
  vi.restoreAllMocks();
});

test('finds a keychain that gives back what it wrapped', async () => {
  standin.hasKeychain = true;
  const keychain = await findKeychain({ platform: 'linux', log, onLate });
  const bytes = await keychain?.wrap('secret');
  expect(await keychain?.unwrap(bytes!)).toEqual({ text: 'secret', isStale: false });
});

test('does not take the key that is part of the program for a keychain', async () => {
  expect(await safeStorage.isAsyncEncryptionAvailable()).toBe(true);
  expect(await findKeychain({ platform: 'linux', log, onLate })).toBeNull();
});

test('starts without a keychain that does not answer, and logs it', async () => {
  standin.hasKeychain = true;
  vi.spyOn(safeStorage, 'encryptStringAsync').mockReturnValue(new Promise(() => undefined));
  expect(await findKeychain({ platform: 'linux', limitMs: 1, log, onLate })).toBeNull();
  expect(warnings).toEqual(['the keychain of this system did not answer']);
});

test('tells when a keychain answers after the limit', async () => {
  standin.hasKeychain = true;
  const seal = safeStorage.encryptStringAsync;
  let unlock = (): void => undefined;
  const unlocked = new Promise<void>((resolve) => {
    unlock = resolve;
  });
  vi.spyOn(safeStorage, 'encryptStringAsync').mockImplementation((text) => unlocked.then(() => seal(text)));
  expect(await findKeychain({ platform: 'linux', limitMs: 1, log, onLate })).toBeNull();
  expect(warnings).not.toContain('answered late');
  unlock();
  await expect.poll(() => warnings).toContain('answered late');
});

test('starts without a keychain that fails, and logs it', async () => {
  standin.hasKeychain = true;
  vi.spyOn(safeStorage, 'encryptStringAsync').mockRejectedValue(new Error('the keyring is locked'));
  expect(await findKeychain({ platform: 'darwin', log, onLate })).toBeNull();
  expect(warnings).toEqual(['the keychain of this system cannot be used']);
});
