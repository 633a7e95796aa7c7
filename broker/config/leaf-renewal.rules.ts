/** When the certificate of the LAN is issued anew (design "LAN access"), always under the same key, so that nobody who pinned it is cut. */

/** Ahead of its end, so that a machine that sleeps for weeks wakes up with one that holds. */
export const renewBeforeMs = 30 * 86_400_000;

export interface LeafState {
  /** Names of this machine that the certificate does not hold. Names that went away do no harm. */
  uncovered: readonly string[];
  /** Epoch ms. */
  expiresAt: number;
}

export function renewalReason({ uncovered, expiresAt }: LeafState, now: number): 'names' | 'expiry' | null {
  if (expiresAt - now < renewBeforeMs) return 'expiry';
  return uncovered.length > 0 ? 'names' : null;
}
