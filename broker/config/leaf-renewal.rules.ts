/**
 * When the LAN certificate and its authority are issued again (specification/configuration.md#certificates), always
 * with the same key, so that nobody who pinned it is disconnected.
 */

/** Before its end, so that a machine that sleeps for weeks wakes up with a valid one. */
export const renewBeforeMs = 30 * 86_400_000;

export interface LeafState {
  /** Names of this machine that the certificate lacks. Names that went away do no harm. */
  uncovered: readonly string[];
  /** Epoch ms. */
  expiresAt: number;
  /** The authority may sign for any name or purpose, as in former versions. */
  isUnlimited: boolean;
}

export function renewalReason(
  { uncovered, expiresAt, isUnlimited }: LeafState,
  now: number,
): 'names' | 'expiry' | 'limits' | null {
  if (expiresAt - now < renewBeforeMs) return 'expiry';
  if (isUnlimited) return 'limits';
  return uncovered.length > 0 ? 'names' : null;
}

/** Before its end, so that those who trust the authority have more than a year to trust the next one. */
export const renewAuthorityBeforeMs = 427 * 86_400_000;

/** `limits`: it lacked some. `names`: a configured name is beyond them. */
export type AuthorityRenewal = 'expiry' | 'limits' | 'names';

/** The consequence for people whose browser trusts the authority. Clients that pinned the key need to do nothing. */
export const renewalNotice: Readonly<Record<AuthorityRenewal, string>> = {
  expiry:
    'the authority was renewed under the same key; browsers that trust the former one must trust the new one (/ca.crt) within a year',
  limits:
    'the authority now signs only for servers with names of this network; browsers that trust the former one keep working, and are protected once they trust the new one (/ca.crt) instead',
  names:
    'the authority was issued again for a configured name; browsers that trust the former one refuse the broker until they trust the new one (/ca.crt)',
};

export interface AuthorityState {
  /** It may sign for any name or purpose, as in former versions. */
  isUnlimited: boolean;
  /** Configured names for which it may not sign. */
  beyond: readonly string[];
  /** Epoch ms. */
  expiresAt: number;
}

/** Returns null if the authority stays. */
export function authorityRenewal(
  { isUnlimited, beyond, expiresAt }: AuthorityState,
  now: number,
): AuthorityRenewal | null {
  if (expiresAt - now < renewAuthorityBeforeMs) return 'expiry';
  if (isUnlimited) return 'limits';
  return beyond.length > 0 ? 'names' : null;
}
