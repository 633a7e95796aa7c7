/** The session cookie (specification "Authentication" 2; D4): minting, hashing, and its Set-Cookie forms. */
import { createHash, randomBytes } from 'node:crypto';
import { limits } from '#protocol/limits.ts';
import { sessionCookie } from '#protocol/session.ts';

const cookieValuePattern = /^[A-Za-z0-9_-]{43}$/;

/** A new cookie value: base64url of 32 random bytes, 43 characters. */
export const mintSessionCookie = (): string => randomBytes(32).toString('base64url');

/** True for what may be one of ours; anything else need not be hashed. */
export const isSessionCookie = (value: string): boolean => cookieValuePattern.test(value);

/** The stored form. */
export const hashSessionCookie = (value: string): string =>
  `sha256:${createHash('sha256').update(value).digest('hex')}`;

const setCookie = (value: string, maxAgeSeconds: number, encrypted: boolean): string =>
  `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${encrypted ? '; Secure' : ''}`;

/** Set-Cookie with a full lifetime; `Secure` over HTTPS only. */
export const freshCookie = (value: string, encrypted: boolean): string =>
  setCookie(value, limits.session.lifetimeMs / 1000, encrypted);

/** Set-Cookie that makes a browser drop it. */
export const clearedCookie = (encrypted: boolean): string => setCookie('', 0, encrypted);
