/** A key-encryption key as text: 32 bytes in base64 (specification/configuration.md#key-file). */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const keyBytes = 32;

export const mintKeyText = (): string => randomBytes(keyBytes).toString('base64');

export const keyText = (key: KeyObject): string => key.export().toString('base64');

/**
 * Accepts only base64 of exactly 32 bytes, because a lenient decoder would accept a damaged key as another
 * one.
 */
export function parseKey(text: string): KeyObject | null {
  const bytes = Buffer.from(text, 'base64');
  const isKey = bytes.length === keyBytes && bytes.toString('base64') === text;
  return isKey ? createSecretKey(bytes) : null;
}
