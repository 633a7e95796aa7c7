/**
 * A certificate's fingerprint: `sha256:` and the hex of its public key's hash, so that a renewal under the
 * same key keeps it (specification/configuration.md#certificates).
 */
import { createHash, X509Certificate } from 'node:crypto';

/**
 * Of a whole certificate, as systems show it for an authority; in the format of every fingerprint here.
 * `certificate` is PEM.
 */
export function wholeFingerprint(certificate: string): string {
  const pairs = new X509Certificate(certificate).fingerprint256;
  return `sha256:${pairs.replaceAll(':', '').toLowerCase()}`;
}

/** `certificate` is PEM or DER; of a chain, the first one counts. */
export function certificateFingerprint(certificate: string | Buffer): string {
  const spki = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(spki).digest('hex')}`;
}
