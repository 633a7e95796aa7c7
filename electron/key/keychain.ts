/** Finds the system's keychain for the broker's key. */
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { safeStorage } from 'electron';
import type { Keychain } from '../../broker/create-broker.ts';
import { isRealKeychain, type Probe } from './keychain.rules.ts';

export interface KeychainOptions {
  platform?: string;
  /** How long the system may take, for example to ask for the password of a locked keyring, in ms. */
  limitMs?: number;
  /** Called if the system answers after that, so that it is worth looking again. */
  onLate(): void;
  log: { warn(details: object, message: string): void };
}

const probeText = 'muster';

/** Encrypts and decrypts a text, because only that shows that the keychain works. */
async function probed(platform: string): Promise<Probe> {
  const isAvailable = await safeStorage.isAsyncEncryptionAvailable();
  const backend = platform === 'linux' ? safeStorage.getSelectedStorageBackend() : null;
  if (!isAvailable) return { platform, backend, sealed: null, opened: null };
  const sealed = await safeStorage.encryptStringAsync(probeText);
  const { result } = await safeStorage.decryptStringAsync(sealed);
  return { platform, backend, sealed, opened: result };
}

/**
 * Returns the keychain if it protects a text and gives it back, and null otherwise: it may be missing, closed,
 * or broken, and the next look may find it. Call it only when the app is ready.
 */
export async function findKeychain({
  platform = process.platform,
  limitMs = 10_000,
  onLate,
  log,
}: KeychainOptions): Promise<Keychain | null> {
  const timer = new AbortController();
  const limit = after(limitMs, 'too late' as const, { signal: timer.signal }).catch(
    () => 'too late' as const,
  );
  const probing = probed(platform);
  const probe = await Promise.race([probing, limit]).catch((error: unknown) => {
    log.warn({ err: error }, 'the keychain of this system cannot be used');
    return null;
  });
  timer.abort();
  if (probe === 'too late') {
    log.warn({ limitMs }, 'the keychain of this system did not answer');
    probing.then(onLate, (error: unknown) =>
      log.warn({ err: error }, 'the keychain of this system failed late'),
    );
  }
  if (probe === null || probe === 'too late' || !isRealKeychain(probe, probeText)) return null;
  return {
    wrap: (text) => safeStorage.encryptStringAsync(text),
    async unwrap(bytes) {
      const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(bytes));
      return { text: result, isStale: shouldReEncrypt };
    },
  };
}
