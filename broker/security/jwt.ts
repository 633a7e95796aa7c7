/**
 * JWTs of a bound platform. The key set is fetched when needed and kept for ten minutes
 * (specification/authentication.md#jwt).
 */
import { createHash } from 'node:crypto';
import type { JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { BrokerError, refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { createBoundedWarnings } from '../runtime/bounded-warnings.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Outbound } from '../runtime/outbound-fetch.ts';

export interface JwtSettings {
  issuer: string;
  /** `team:<uuid>`. */
  audience: string;
  jwksUrl: string;
}

export interface VerifiedJwt {
  /** The claim `member`, or else `sub`; whether such a member exists is not known here. */
  member: string;
  /** Identifies this token without containing it. */
  credentialId: string;
  /** Epoch ms. */
  expiresAt: number;
}

export interface JwtVerifier {
  /**
   * Returns null for a token that is not valid now, whatever the reason.
   * @throws BrokerError unavailable while the keys are not available.
   */
  verify(token: string): Promise<VerifiedJwt | null>;
}

export interface JwtVerifierDeps {
  /** Null: there is no platform, and no token is valid. */
  settings: () => JwtSettings | null;
  outbound: Outbound;
  clock: Clock;
  log: Log;
}

/** Loaded at the first JWT only, because it would slow down every start. */
const loadJose = () => import('jose');
type Jose = Awaited<ReturnType<typeof loadJose>>;

const algorithms = ['RS256', 'ES256', 'EdDSA'];
const { toleranceSeconds, jwksMaxAgeMs } = limits.jwt;
/** Tokens that no known key fits cause the keys to be fetched again at most this often, even if the fetch fails. */
const rereadMs = 30_000;
/** If there are no keys, a failed fetch is repeated at most this often. */
const failedRereadMs = 2_000;
/** The upper bound of keys that are tried for one token that does not name its key. */
const maxTriedKeys = 16;
const fetchTimeoutMs = 5_000;
const maxKeySetBytes = 256 * 1024;

const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });
const Claims = z.object({
  member: z.string().optional(),
  sub: z.string().optional(),
  aud: z.union([z.string(), z.tuple([z.string()])]),
  /** Seconds, possibly with a fraction; at most what a date can hold. */
  exp: z.number().nonnegative().max(8_640_000_000_000),
});

interface KnownKeys {
  url: string;
  find: JWTVerifyGetKey;
  readAt: number;
}

/**
 * Finds the key that the token names, or the keys that fit its algorithm if it names none or an unknown one.
 */
function withoutUnknownKid(find: JWTVerifyGetKey, errors: Jose['errors']): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || header.kid === undefined) throw error;
      const { kid: _, ...rest } = header;
      return find(rest, token);
    }
  };
}

/** Whether other keys could have accepted the token: otherwise, the token itself is not valid. */
function isFaultOfKey(errors: Jose['errors'], error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSInvalid ||
    error instanceof errors.JWKInvalid ||
    // A key that cannot be imported or is too weak: the library throws what its platform throws.
    (error instanceof Error && !(error instanceof errors.JOSEError) && !(error instanceof BrokerError))
  );
}

export function createJwtVerifier({ settings, outbound, clock, log }: JwtVerifierDeps): JwtVerifier {
  const warn = createBoundedWarnings(log, clock);
  let known: KnownKeys | null = null;
  let reading: { url: string; done: Promise<KnownKeys> } | null = null;
  let failed: { url: string; at: number } | null = null;

  /**
   * Whether it was less than this ago. A time in the future comes from a clock that was set back since, so
   * nobody knows how long ago it was.
   */
  function isWithin(at: number, durationMs: number): boolean {
    const ageMs = clock() - at;
    return ageMs >= 0 && ageMs < durationMs;
  }

  const unavailable = (): never => refuse('platform_keys_unavailable');

  async function fetchKeys(url: string): Promise<KnownKeys> {
    try {
      const reply = await outbound.send(url, {
        purpose: 'platform_keys',
        headers: { accept: 'application/jwk-set+json, application/json' },
        timeoutMs: fetchTimeoutMs,
        maxBytes: maxKeySetBytes,
      });
      if (reply.status !== 200) throw new Error(`it answered ${reply.status}`);
      const { createLocalJWKSet, errors } = await loadJose();
      const find = createLocalJWKSet(KeySet.parse(JSON.parse(reply.body.toString('utf8'))));
      failed = null;
      return { url, find: withoutUnknownKid(find, errors), readAt: clock() };
    } catch (error) {
      failed = { url, at: clock() };
      warn(
        { host: new URL(url).host, cause: error instanceof Error ? error.name : 'unknown' },
        'the key set of the platform cannot be read',
      );
      return unavailable();
    }
  }

  /** One fetch at a time, however many requests wait for it. */
  async function readKeys(url: string): Promise<KnownKeys> {
    if (failed?.url === url && isWithin(failed.at, failedRereadMs)) return unavailable();
    if (reading?.url !== url) {
      const done = fetchKeys(url).finally(() => {
        if (reading?.done === done) reading = null;
      });
      reading = { url, done };
    }
    known = await reading.done;
    return known;
  }

  const freshKeys = (url: string): KnownKeys | null =>
    known?.url === url && isWithin(known.readAt, jwksMaxAgeMs + 1) ? known : null;

  async function check(token: string, { issuer, audience }: JwtSettings, { find }: KnownKeys) {
    const { errors, jwtVerify } = await loadJose();
    const options = {
      algorithms,
      issuer,
      audience,
      requiredClaims: ['exp'],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(clock()),
    };
    try {
      return (await jwtVerify(token, find, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      let tried = 0;
      for await (const key of error) {
        try {
          return (await jwtVerify(token, key, options)).payload;
        } catch (fault) {
          if (!isFaultOfKey(errors, fault)) throw fault;
        }
        tried += 1;
        if (tried === maxTriedKeys) break;
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  async function payloadOf(token: string, platform: JwtSettings): Promise<unknown> {
    const { errors } = await loadJose();
    const url = platform.jwksUrl;
    const keys = freshKeys(url) ?? (await readKeys(url));
    try {
      return await check(token, platform, keys);
    } catch (error) {
      if (!isFaultOfKey(errors, error)) throw error;
      // The platform may have added or replaced keys, and another request may have fetched them in the meantime.
      const later = freshKeys(url);
      if (later !== null && later !== keys) return check(token, platform, later);
      if (isWithin(keys.readAt, rereadMs)) throw error;
      // Nobody knows whether the key set would have a fitting key by now.
      if (failed?.url === url && isWithin(failed.at, rereadMs)) return unavailable();
    }
    return check(token, platform, await readKeys(url));
  }

  return {
    async verify(token) {
      const platform = settings();
      if (platform === null) return null;
      const { decodeProtectedHeader, errors } = await loadJose();
      try {
        const { alg } = decodeProtectedHeader(token);
        if (alg === undefined || !algorithms.includes(alg)) return null;
        const claims = Claims.safeParse(await payloadOf(token, platform));
        if (!claims.success) return null;
        const member = claims.data.member ?? claims.data.sub;
        if (member === undefined) return null;
        return {
          member,
          credentialId: `jwt:${createHash('sha256').update(token).digest('base64url').slice(0, 22)}`,
          expiresAt: Math.floor(claims.data.exp * 1000),
        };
      } catch (error) {
        if (error instanceof BrokerError) throw error;
        // If a hostile token, or a broken key of the platform, makes the library throw any error, the token is
        // not valid.
        if (!(error instanceof errors.JOSEError)) {
          warn({ cause: error instanceof Error ? error.name : 'unknown' }, 'a JWT could not be checked');
        }
        return null;
      }
    },
  };
}
