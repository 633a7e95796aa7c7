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

/**
 * The public scheme and port of the broker. A browser keeps cookies by host, so each cookie is also set under a name with both: one that
 * brokers on other ports do not replace, and that a `Secure` cookie of HTTPS does not block over HTTP (ADR 0053).
 */
export interface CookiePlace {
  scheme: 'http' | 'https';
  port: number;
}

/** Returns the cookie's name with the scheme and the port, such as `svc_session_https_8443`. */
export const ownCookieName = (name: string, { scheme, port }: CookiePlace): string =>
  `${name}_${scheme}_${port}`;

interface CookieLifetime {
  path: string;
  maxAgeSeconds: number;
}

const setCookie = (
  name: string,
  value: string,
  { path, maxAgeSeconds }: CookieLifetime,
  place: CookiePlace,
) =>
  `${name}=${value}; Path=${path}; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${place.scheme === 'https' ? '; Secure' : ''}`;

const setBoth = (name: string, value: string, lifetime: CookieLifetime, place: CookiePlace): string[] =>
  [name, ownCookieName(name, place)].map((each) => setCookie(each, value, lifetime, place));

const ofSession = { path: '/', maxAgeSeconds: limits.session.lifetimeMs / 1000 };
const ofDevice = { path: '/session/totp', maxAgeSeconds: limits.knownDevice.lifetimeMs / 1000 };
const cleared = { path: '/', maxAgeSeconds: 0 };

/** Set-Cookie with the full lifetime, under both names; `Secure` over HTTPS only. */
export const freshCookies = (value: string, place: CookiePlace): string[] =>
  setBoth(sessionCookie, value, ofSession, place);

/** Set-Cookie of a known device, under both names. It is sent to the login only, the one place that reads it. */
export const knownDeviceCookies = (value: string, place: CookiePlace): string[] =>
  setBoth(deviceCookie, value, ofDevice, place);

/** Set-Cookie that makes a browser delete both, or only its own one if `svc_session` is not of this broker. */
export const clearedCookies = (place: CookiePlace, keepsShared: boolean): string[] =>
  keepsShared
    ? [setCookie(ownCookieName(sessionCookie, place), '', cleared, place)]
    : setBoth(sessionCookie, '', cleared, place);
