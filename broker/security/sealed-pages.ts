/**
 * Bytes that leave this machine for a database that must not read them: AES-256-GCM under a key of their own, which is
 * derived from the key of the team and 16 random bytes. So no pair of key and nonce is used twice, however many
 * bodies a broker seals in years.
 */
import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const saltBytes = 16;
const tagBytes = 16;
/** Each key encrypts one body. */
const nonce = Buffer.alloc(12);

const keyOf = (kek: KeyObject, salt: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', kek, salt, 'muster standby', keyBytes));

/** Returns the salt, the encrypted body, and the tag. `place` says where it belongs: it opens nowhere else. */
export function sealBytes(kek: KeyObject, body: Uint8Array, place: string): Buffer {
  const salt = randomBytes(saltBytes);
  const cipher = createCipheriv(algorithm, keyOf(kek, salt), nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(place));
  return Buffer.concat([salt, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
}

/** Returns the body; null if it was sealed with another key or for another place, or is damaged. */
export function openBytes(kek: KeyObject, sealed: Uint8Array, place: string): Buffer | null {
  if (sealed.length < saltBytes + tagBytes) return null;
  const key = keyOf(kek, sealed.subarray(0, saltBytes));
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(saltBytes, -tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
}
