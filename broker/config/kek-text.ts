/** A key-encryption key as text: 32 bytes in base64 (D15). */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const keyBytes = 32;

export const mintKeyText = (): string => randomBytes(keyBytes).toString('base64');

export const keyText = (key: KeyObject): string => key.export().toString('base64');

/** Strict: base64 of exactly 32 bytes, since a lenient decoder would take a damaged key for another one. */
export function parseKey(text: string): KeyObject | null {
  const bytes = Buffer.from(text, 'base64');
  const isKey = bytes.length === keyBytes && bytes.toString('base64') === text;
  return isKey ? createSecretKey(bytes) : null;
}
