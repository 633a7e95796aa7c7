/** Decides which keychains protect the key (specification/desktop.md#key). */

/** The result of a probe of the keychain. */
export interface Probe {
  platform: string;
  /** The backend that Electron chose on Linux; null on other systems. */
  backend: string | null;
  /** The encrypted text; null if the system encrypts nothing. */
  sealed: Uint8Array | null;
  /** The text that it was decrypted to. */
  opened: string | null;
}

/** Chromium marks what it encrypts with a key that is part of the program. On macOS, the mark means the keychain. */
const builtInMark = 'v10';

/**
 * Whether the keychain protects the key. Without a keyring, Linux falls back to a key that is part of the
 * program, which protects nothing, although the engine calls it available.
 */
export function isRealKeychain({ platform, backend, sealed, opened }: Probe, text: string): boolean {
  if (sealed === null || opened !== text) return false;
  if (platform !== 'linux') return true;
  const mark = Buffer.from(sealed).subarray(0, builtInMark.length).toString('latin1');
  return mark !== builtInMark && backend !== null && backend !== 'basic_text' && backend !== 'unknown';
}
