/**
 * The secret of this page's session (ADR 0029). A browser sends the session cookie to every port of the host; it
 * shows this storage only to pages of this origin, and the tabs of this origin share it.
 */
import { sessionSecretHeader } from '#protocol/vocabulary.ts';
import type { SessionProof } from './transport.ts';

export const sessionSecretKey = 'muster.session';

export interface SessionSecret extends SessionProof {
  /** The header of a request; empty without a secret. */
  headers(): Record<string, string>;
}

export function createSessionSecret(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
): SessionSecret {
  return {
    headers() {
      const secret = storage.getItem(sessionSecretKey);
      return secret === null ? {} : { [sessionSecretHeader]: secret };
    },
    keep(secret) {
      if (secret === undefined) storage.removeItem(sessionSecretKey);
      else storage.setItem(sessionSecretKey, secret);
    },
    forget: () => storage.removeItem(sessionSecretKey),
  };
}
