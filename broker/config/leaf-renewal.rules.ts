/**
 * When the LAN certificate is issued again (specification/desktop.md#lan-access), always with the same key,
 * so that nobody who pinned it is disconnected.
 */

/** Before its end, so that a machine that sleeps for weeks wakes up with a valid one. */
export const renewBeforeMs = 30 * 86_400_000;

export interface LeafState {
  /** Names of this machine that the certificate lacks. Names that went away do no harm. */
  uncovered: readonly string[];
  /** Epoch ms. */
  expiresAt: number;
}

export function renewalReason({ uncovered, expiresAt }: LeafState, now: number): 'names' | 'expiry' | null {
  if (expiresAt - now < renewBeforeMs) return 'expiry';
  return uncovered.length > 0 ? 'names' : null;
}
