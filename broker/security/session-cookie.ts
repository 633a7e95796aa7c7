/**
 * The session cookie: creation, hashing, and its Set-Cookie forms (specification/authentication.md#sessions).
 */
import { createHash, randomBytes } from 'node:crypto';
import { limits } from '#protocol/limits.ts';
import { deviceCookie, sessionCookie } from '#protocol/session.ts';

const cookieValuePattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns a new cookie value: base64url of 32 random bytes, 43 characters. */
export const mintSessionCookie = (): string => randomBytes(32).toString('base64url');

/** Whether the value may be one of this broker's; anything else need not be hashed. */
export const isSessionCookie = (value: string): boolean => cookieValuePattern.test(value);

/** The stored form. */
export const hashSessionCookie = (value: string): string =>
  `sha256:${createHash('sha256').update(value).digest('hex')}`;

const setCookie = (value: string, maxAgeSeconds: number, encrypted: boolean): string =>
  `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${encrypted ? '; Secure' : ''}`;

/** Set-Cookie with the full lifetime; `Secure` over HTTPS only. */
export const freshCookie = (value: string, encrypted: boolean): string =>
  setCookie(value, limits.session.lifetimeMs / 1000, encrypted);

/** Set-Cookie of a known device. It is sent to the login only, the one place that reads it. */
export const knownDeviceCookie = (value: string, encrypted: boolean): string =>
  `${deviceCookie}=${value}; Path=/session/totp; HttpOnly; SameSite=Strict; Max-Age=${limits.knownDevice.lifetimeMs / 1000}${encrypted ? '; Secure' : ''}`;

/** Set-Cookie that makes a browser delete it. */
export const clearedCookie = (encrypted: boolean): string => setCookie('', 0, encrypted);
