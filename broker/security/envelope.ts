/**
 * Encrypted envelopes of secrets at rest: AES-256-GCM, a 12-byte iv, and the ciphertext followed by the
 * 16-byte tag (specification/configuration.md#envelopes).
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { z } from 'zod';

const algorithm = 'aes-256-gcm';
const version = 1;
const ivBytes = 12;
const tagBytes = 16;

/**
 * As it is in the configuration file. A future version loads, so that it is reported and kept instead of
 * destroyed.
 */
export const Envelope = z.looseObject({
  v: z.int().positive(),
  ct: z.base64().min(1),
  iv: z.base64().min(1),
});
export interface Envelope {
  v: number;
  ct: string;
  iv: string;
}

/**
 * Encrypts `plaintext` for one field; it does not open under another field's name. `kek` is a 256-bit secret
 * key.
 */
export function seal(kek: KeyObject, plaintext: string, field: string): Envelope {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, kek, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(field));
  const ct = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { v: version, ct: ct.toString('base64'), iv: iv.toString('base64') };
}

/** Returns the plaintext; null if it was sealed with another key, field, or version, or is damaged. */
export function open(kek: KeyObject, envelope: Envelope, field: string): string | null {
  const iv = Buffer.from(envelope.iv, 'base64');
  const sealed = Buffer.from(envelope.ct, 'base64');
  if (envelope.v !== version || iv.length !== ivBytes || sealed.length < tagBytes) return null;
  const decipher = createDecipheriv(algorithm, kek, iv, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(field));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
