/**
 * The codes of device enrollment (specification/enrollment.md#request); the odds are in
 * docs/decisions/0004-enrollment-codes.md.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { userCodeAlphabet } from '#protocol/enrollment.ts';

/** 256 random bits in base64url. Only its hash is stored. */
export const mintDeviceCode = (): string => randomBytes(32).toString('base64url');

/** `XXXX-XXXX`; randomInt draws without modulo bias. */
export function mintUserCode(): string {
  const letters = Array.from({ length: 8 }, () =>
    userCodeAlphabet.charAt(randomInt(userCodeAlphabet.length)),
  );
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}
