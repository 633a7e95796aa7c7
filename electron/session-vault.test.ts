import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Keychain } from '../broker/create-broker.ts';
import { createSessionVault } from './session-vault.ts';

let folder: string;
let path: string;
let warnings: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-vault-'));
  path = join(folder, 'desktop-session.safe');
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const backwards = (bytes: Uint8Array): Buffer => Buffer.from(bytes).reverse();
function keychainThat({ isStale = false } = {}): Keychain {
  return {
    wrap: async (text) => backwards(Buffer.from(`safe:${text}`)),
    async unwrap(bytes) {
      const text = backwards(bytes).toString();
      if (!text.startsWith('safe:')) throw new Error('not sealed here');
      return { text: text.slice('safe:'.length), isStale };
    },
  };
}
const vaultWith = (keychain: Keychain | null) =>
  createSessionVault({
    path,
    keychain: () => keychain,
    log: { warn: (_details, message) => warnings.push(message) },
  });

test('keeps the session encrypted in a private file until it is forgotten', async () => {
  const vault = vaultWith(keychainThat());
  vault.save('abcdef');
  await vault.whenSaved();
  expect(readFileSync(path, 'utf8')).not.toContain('abcdef');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await vaultWith(keychainThat()).load()).toBe('abcdef');
  vault.save(null);
  await vault.whenSaved();
  expect(existsSync(path)).toBe(false);
});

test('without a keychain, it leaves what an earlier start kept, until there is another session', async () => {
  writeFileSync(path, 'fedcba');
  const vault = vaultWith(null);
  expect(await vault.load()).toBeNull();
  await vault.whenSaved();
  expect(readFileSync(path, 'utf8')).toBe('fedcba');
  vault.save('abcdef');
  await vault.whenSaved();
  expect(existsSync(path)).toBe(false);
  expect(warnings).toEqual([]);
});

test('keeps no earlier session if the keychain does not accept the present one', async () => {
  const first = vaultWith(keychainThat());
  first.save('abcdef');
  await first.whenSaved();
  const vault = vaultWith({ ...keychainThat(), wrap: () => Promise.reject(new Error('locked')) });
  vault.save('fedcba');
  await vault.whenSaved();
  expect(existsSync(path)).toBe(false);
  expect(warnings).toEqual(['the keychain did not accept the session, so it is only in memory']);
});

test('encrypts the session again if the keychain asks for it', async () => {
  const first = vaultWith(keychainThat());
  first.save('abcdef');
  await first.whenSaved();
  const before = statSync(path).ino;
  const vault = vaultWith(keychainThat({ isStale: true }));
  expect(await vault.load()).toBe('abcdef');
  await vault.whenSaved();
  expect(statSync(path).ino).not.toBe(before);
});

test('starts without a session if the file cannot be read', async () => {
  writeFileSync(path, 'damaged');
  expect(await vaultWith(keychainThat()).load()).toBeNull();
  expect(warnings).toEqual(['the saved session cannot be read; log in again']);
});
