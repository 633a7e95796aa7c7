/** Determines which member a request comes from (specification/authentication.md#planes). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Plane } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import { deviceCookie, sessionCookie } from '#protocol/session.ts';
import { sessionSecretHeader } from '#protocol/vocabulary.ts';
import type { Actor } from '../runtime/actor.ts';
import { type CookiePlace, ownCookieName } from '../security/session-cookie.ts';

/** Resolves a credential to the present member; null for anything that is not valid at this moment. */
export interface CredentialReader {
  bearer(token: string, address: string): Actor | null;
  /**
   * A bearer credential with two dots. @throws BrokerError unavailable while the keys are not available:
   * never another plane instead (specification/authentication.md#jwt).
   */
  jwt(token: string): Promise<Actor | null>;
  /**
   * `renewal` has the cookies to send again with their full lifetime. @throws BrokerError unauthenticated for a
   * secret that is missing or not of this session.
   */
  session(presented: PresentedSession): { actor: Actor; renewal: string[] } | null;
}

/** The session data that a request presents. */
export interface PresentedSession {
  cookie: string;
  /** Of a bound session; undefined if the request has none. */
  secret: string | undefined;
  place: CookiePlace;
  /** The address from which the request came. */
  address: string;
}

/** The parts of a request that authentication reads. */
export interface Presented {
  headers: IncomingHttpHeaders;
  place: CookiePlace;
  address: string;
}

export interface Authenticated {
  actor: Actor;
  /** Set-Cookie of the reply; for sessions only. */
  renewal?: string[];
}

const bearerPattern = /^bearer +(\S+) *$/i;

function cookieOf({ cookie = '' }: IncomingHttpHeaders, name: string): string | null {
  for (const pair of cookie.split(';')) {
    const trimmed = pair.trim();
    const value = trimmed.startsWith(`${name}=`) ? trimmed.slice(name.length + 1).split(/\s/, 1)[0] : '';
    if (value) return value;
  }
  return null;
}

/** The cookie of this scheme and port counts; the one for the whole host counts only without it. */
const nearestCookie = (headers: IncomingHttpHeaders, name: string, place: CookiePlace): string | null =>
  cookieOf(headers, ownCookieName(name, place)) ?? cookieOf(headers, name);

/** Returns the cookie of a known device; null without one. */
export const deviceCookieOf = (headers: IncomingHttpHeaders, place: CookiePlace): string | null =>
  nearestCookie(headers, deviceCookie, place);

/** Whether `svc_session` is not the cookie of this scheme and port: it is that of a broker on another port, or was not sent. */
export function hasForeignSession(headers: IncomingHttpHeaders, place: CookiePlace): boolean {
  const own = cookieOf(headers, ownCookieName(sessionCookie, place));
  return own !== null && own !== cookieOf(headers, sessionCookie);
}

/** Returns the bearer credential of a request that need not have one; null without one. */
export const bearerOf = ({ authorization }: IncomingHttpHeaders): string | null =>
  bearerPattern.exec(authorization ?? '')?.[1] ?? null;

function isJwt(token: string): boolean {
  const first = token.indexOf('.');
  return first !== -1 && token.split('.').length === 3;
}

/** An Authorization header decides alone; a cookie counts only without one. */
function read(
  { headers, place, address }: Presented,
  credentials: CredentialReader,
): Authenticated | null | Promise<Authenticated | null> {
  if (headers.authorization !== undefined) {
    const token = bearerOf(headers);
    if (token === null) return null;
    if (isJwt(token)) return credentials.jwt(token).then((actor) => actor && { actor });
    const actor = credentials.bearer(token, address);
    return actor && { actor };
  }
  const secret = headers[sessionSecretHeader]?.toString();
  const cookie = nearestCookie(headers, sessionCookie, place);
  return cookie === null ? null : credentials.session({ cookie, secret, place, address });
}

/**
 * Answers at once for tokens and sessions; only a JWT may have to wait for its keys.
 * @throws BrokerError unauthenticated, in the same words for whatever is no credential; a bound session without
 *   its secret has a reason of its own.
 */
export function authenticate(
  request: Presented,
  credentials: CredentialReader,
): Authenticated | Promise<Authenticated> {
  const found = read(request, credentials);
  return found instanceof Promise ? found.then(orRefuse) : orRefuse(found);
}

function orRefuse(found: Authenticated | null): Authenticated {
  if (found === null) refuse('unauthenticated');
  return found;
}

/**
 * @throws BrokerError forbidden for a valid credential on the wrong plane
 *   (specification/authentication.md#planes).
 */
export function refuseWrongPlane(plane: Plane, actor: Actor): void {
  if (plane === 'dual' || plane === actor.plane) return;
  refuse(plane === 'bearer' ? 'bearer_only' : 'session_only');
}
