/**
 * Returns the system's keychain for the broker's key, or null if there is none that protects it. Call it only
 * when the app is ready.
 */
import process from 'node:process';
import { safeStorage } from 'electron';
import type { Keychain } from '../../broker/create-broker.ts';
import { isRealKeychain } from './keychain.rules.ts';

export async function findKeychain(): Promise<Keychain | null> {
  const { platform } = process;
  const isAvailable = await safeStorage.isAsyncEncryptionAvailable().catch(() => false);
  const backend = platform === 'linux' ? safeStorage.getSelectedStorageBackend() : null;
  if (!isRealKeychain({ platform, isAvailable, backend })) return null;
  return {
    wrap: (text) => safeStorage.encryptStringAsync(text),
    async unwrap(bytes) {
      const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(bytes));
      return { text: result, isStale: shouldReEncrypt };
    },
  };
}
