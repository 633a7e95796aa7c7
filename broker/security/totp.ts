/**
 * TOTP secrets and their URIs: SHA-1, 6 digits, and 30 s, which every authenticator uses by default
 * (specification/authentication.md#totp).
 */
import { randomBytes } from 'node:crypto';

/** Of five bits each. */
const secretLetters = 32;
export const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns a new 160-bit secret in base32: 32 characters, no padding. */
export function mintTotpSecret(): string {
  return Array.from(randomBytes(secretLetters), (byte) => base32Alphabet[byte % 32]).join('');
}

/**
 * Returns the URI that an authenticator reads. It is not written by otplib, which leaves a colon inside the
 * issuer unescaped: the label's only bare colon must be the one between issuer and member.
 */
export function totpUri(team: string, member: string, secret: string): string {
  const issuer = encodeURIComponent(team);
  return `otpauth://totp/${issuer}:${encodeURIComponent(member)}?secret=${secret}&issuer=${issuer}`;
}

/**
 * Returns a base32 secret as people and other programs write it (any case, spaces, padding) in the form that
 * is stored here; null if it is not base32 or is shorter than 80 bits.
 */
export function normalTotpSecret(written: string): string | null {
  const secret = written.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  const isBase32 = /^[A-Z2-7]{16,}$/.test(secret) && [0, 2, 4, 5, 7].includes(secret.length % 8);
  return isBase32 ? secret : null;
}
