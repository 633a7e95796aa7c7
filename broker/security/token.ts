/** Bearer tokens: minting and hashing (specification "Authentication" 1; D3). The plaintext is shown once and never stored. */
import { createHash, randomBytes } from 'node:crypto';

/** What a bearer may look like. Ours are 43 characters after the prefix; a hand-written one may differ (D15, migration). */
export const tokenPattern = /^svc_[A-Za-z0-9_-]{1,256}$/;

export const tokenHashPattern = /^sha256:[0-9a-f]{64}$/;

/** A new bearer: `svc_` and base64url of 32 random bytes. */
export function mintToken(): string {
  return `svc_${randomBytes(32).toString('base64url')}`;
}

/** The stored form, `sha256:<hex>`, of the whole token with its prefix. */
export function hashToken(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`;
}
