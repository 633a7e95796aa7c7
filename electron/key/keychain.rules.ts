/** Which keychains are real (design "KEK"). */

export interface KeychainFacts {
  platform: string;
  isAvailable: boolean;
  /** What Linux chose; null elsewhere. */
  backend: string | null;
}

/** Without a keyring Linux falls back to a key that is in the program itself: that hides nothing. */
export function isRealKeychain({ platform, isAvailable, backend }: KeychainFacts): boolean {
  if (!isAvailable) return false;
  return platform !== 'linux' || (backend !== 'basic_text' && backend !== 'unknown' && backend !== null);
}
