/** Decides which keychains protect the key (specification/desktop.md#key). */

export interface KeychainFacts {
  platform: string;
  isAvailable: boolean;
  /** The backend that Electron chose on Linux; null on other systems. */
  backend: string | null;
}

/**
 * Whether the keychain protects the key. Without a keyring, Linux falls back to a key that is part of the
 * program, which protects nothing.
 */
export function isRealKeychain({ platform, isAvailable, backend }: KeychainFacts): boolean {
  if (!isAvailable) return false;
  return platform !== 'linux' || (backend !== 'basic_text' && backend !== 'unknown' && backend !== null);
}
