/**
 * Bearer tokens: creation and hashing. The plaintext is shown once and never stored
 * (specification/authentication.md#tokens).
 */
import { createHash, randomBytes } from 'node:crypto';

/**
 * The form of a bearer token. Those of the broker have 43 characters after the prefix; a hand-written one may
 * differ (specification/configuration.md#migration).
 */
export const tokenPattern = /^svc_[A-Za-z0-9_-]{1,256}$/;

export const tokenHashPattern = /^sha256:[0-9a-f]{64}$/;

/** Returns a new token: `svc_` and base64url of 32 random bytes. */
export function mintToken(): string {
  return `svc_${randomBytes(32).toString('base64url')}`;
}

/** Returns the stored form, `sha256:<hex>`, of the whole token with its prefix. */
export function hashToken(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`;
}
