/**
 * TOTP secrets and their URIs: SHA-1, 6 digits, and 30 s, which every authenticator uses by default
 * (specification/authentication.md#totp).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { limits } from '#protocol/limits.ts';

const secretBytes = 20;
const { stepMs, driftSteps } = limits.totp;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns a new 160-bit secret in base32: 32 characters, no padding. */
export function mintTotpSecret(): string {
  const bits = Array.from(randomBytes(secretBytes), (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (letter) => alphabet[Number.parseInt(letter, 2)] ?? '');
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

/** Bits that do not fill a byte are dropped, as authenticators do. */
function bytesOf(secret: string): Uint8Array {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of secret) {
    value = ((value << 5) | alphabet.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 0xff);
    }
  }
  return Uint8Array.from(bytes);
}

/** Returns the six digits of one time step (RFC 4226, section 5.3, and RFC 6238). */
function codeOf(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/**
 * Returns the time step of this code, with one step of drift in either direction; null if it is none of them.
 * `secret` is in the form of normalTotpSecret, `code` is six digits, and `now` is epoch ms. Every step is
 * computed and compared, so the time taken reveals nothing.
 */
export function totpStepOf(secret: string, code: string, now: number): number | null {
  const key = bytesOf(secret);
  const given = Buffer.from(code);
  const current = Math.floor(now / stepMs);
  let found: number | null = null;
  // The newest matching step counts, so that an older one with the same code is used up with it.
  for (let step = current - driftSteps; step <= current + driftSteps; step++) {
    const expected = Buffer.from(codeOf(key, step));
    if (expected.length === given.length && timingSafeEqual(expected, given)) found = step;
  }
  return found;
}
