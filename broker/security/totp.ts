/** TOTP secrets and their URIs (D4): SHA-1, 6 digits, 30 s, which every authenticator takes as the default. */
import { randomBytes } from 'node:crypto';
import { ScureBase32Plugin } from 'otplib';

const base32 = new ScureBase32Plugin();
const secretBytes = 20;

/** A new 160-bit secret in base32: 32 characters, no padding. */
export function mintTotpSecret(): string {
  return base32.encode(randomBytes(secretBytes));
}

/**
 * The URI an authenticator reads. Written here and not by otplib, which leaves a colon inside the issuer unescaped:
 * the label's only bare colon must be the one between issuer and member.
 */
export function totpUri(team: string, member: string, secret: string): string {
  const issuer = encodeURIComponent(team);
  return `otpauth://totp/${issuer}:${encodeURIComponent(member)}?secret=${secret}&issuer=${issuer}`;
}

/**
 * A base32 secret as people and other programs write it (any case, spaces, padding) in the form stored here;
 * null when it is not base32 or shorter than 80 bits.
 */
export function normalTotpSecret(written: string): string | null {
  const secret = written.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  const isBase32 = /^[A-Z2-7]{16,}$/.test(secret) && [0, 2, 4, 5, 7].includes(secret.length % 8);
  return isBase32 ? secret : null;
}
