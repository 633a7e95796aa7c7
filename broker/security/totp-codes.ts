/**
 * TOTP codes (specification/authentication.md#totp). Loaded with the first login, because otplib is a tenth of what a
 * start would load.
 */
import { timingSafeEqual } from 'node:crypto';
import { createGuardrails, generateSync } from 'otplib';
import { limits } from '#protocol/limits.ts';
import { base32Alphabet } from './totp.ts';

const { stepMs, driftSteps } = limits.totp;
/**
 * otplib wants at least 128 bits; a migrated secret of any length that normalTotpSecret accepts must verify.
 */
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 1, MAX_SECRET_BYTES: 64 * 1024 });

/**
 * Bits that do not fill a byte are dropped, as authenticators do; otplib's decoder refuses them unless they
 * are zero.
 */
function bytesOf(secret: string): Uint8Array {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of secret) {
    value = ((value << 5) | base32Alphabet.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 0xff);
    }
  }
  return Uint8Array.from(bytes);
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
    const expected = Buffer.from(generateSync({ secret: key, epoch: (step * stepMs) / 1000, guardrails }));
    if (expected.length === given.length && timingSafeEqual(expected, given)) found = step;
  }
  return found;
}
