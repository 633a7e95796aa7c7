/**
 * A certificate's fingerprint: `sha256:` and the hex of its public key's hash, so that a renewal under the
 * same key keeps it (specification/configuration.md#certificates).
 */
import { createHash, X509Certificate } from 'node:crypto';

/** `certificate` is PEM or DER; of a chain, the first one counts. */
export function certificateFingerprint(certificate: string | Buffer): string {
  const spki = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(spki).digest('hex')}`;
}
