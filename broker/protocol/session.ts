/** Sessions of the console (specification/authentication.md#sessions). */
import { z } from 'zod';
import { leaves } from './access.ts';
import { MemberName, Timestamp } from './ids.ts';
import { Role } from './member.ts';
import { text } from './text.ts';

export const sessionCookie = 'svc_session';

/** Proves an earlier login from the same browser; sent to the login only. */
export const deviceCookie = 'svc_device';

export const TotpLogin = z
  .object({
    code: z.string().regex(/^\d{6}$/, 'must be six digits'),
    /**
     * Verified against this member only; without it, all members with an authenticator are searched for a
     * match.
     */
    member: text(1, 64).nullish(),
    /** The session works only with a secret that the reply contains, sent in `X-SVC-Session-Secret`. */
    bound: z.boolean().nullish(),
    /** Sets a cookie that proves this login at later ones, so that wrong codes of others do not lock this device out. */
    remember: z.boolean().nullish(),
  })
  .meta({ id: 'TotpLogin' });
export type TotpLogin = z.infer<typeof TotpLogin>;

/** With a bearer token, `expiresAt` is the token's expiry, or null. */
export const SessionReply = z
  .object({
    member: MemberName,
    role: Role,
    permissions: z.array(z.enum(leaves)),
    expiresAt: Timestamp.nullable(),
  })
  .meta({ id: 'SessionReply' });
export type SessionReply = z.infer<typeof SessionReply>;

/** `secret`: of a bound session, shown once; absent unless the request asked for it. */
export const LoginReply = SessionReply.extend({ secret: z.string().optional() }).meta({ id: 'LoginReply' });
export type LoginReply = z.infer<typeof LoginReply>;

/** A one-time link into the console is `/app#login=<code>` at the broker's address. */
export const ConsoleLink = z.object({ code: z.string(), expiresAt: Timestamp }).meta({ id: 'ConsoleLink' });
export type ConsoleLink = z.infer<typeof ConsoleLink>;

export const LinkLogin = z
  .object({
    code: text(1, 64),
    /** As for a login with a code from an authenticator. */
    bound: z.boolean().nullish(),
  })
  .meta({ id: 'LinkLogin' });
export type LinkLogin = z.infer<typeof LinkLogin>;

/** A session as its member and managers see it: never the cookie or its hash. */
export const SessionInfo = z
  .object({
    /** Names the session; it is not the cookie. */
    id: z.uuid(),
    memberName: MemberName,
    /** The program that opened it, as its User-Agent describes it, for example "Firefox on Linux". */
    device: z.string(),
    /** The address that used it last. */
    address: z.string(),
    createdAt: Timestamp,
    /** In whole minutes; a restart may set it back by one more. */
    lastUsedAt: Timestamp,
    expiresAt: Timestamp,
    /** It authenticates this request. */
    current: z.boolean(),
    /** It works only with the secret that its page keeps; others work by their cookie alone. */
    bound: z.boolean(),
  })
  .meta({ id: 'SessionInfo' });
export type SessionInfo = z.infer<typeof SessionInfo>;

export const SessionList = z.object({ sessions: z.array(SessionInfo) }).meta({ id: 'SessionList' });
export type SessionList = z.infer<typeof SessionList>;

/** Without a member, the caller. */
export const SessionsQuery = z.object({ member: text(1, 64).optional() });

export const EndSessionsQuery = SessionsQuery.extend({
  /** Keeps the session that authenticates the request. */
  keep: z.literal('current').optional(),
});

/** Failed and refused logins of the last `windowMs`; `sources` has those with the most. */
export const LoginFailureReport = z
  .object({
    windowMs: z.number().int(),
    total: z.number().int(),
    sources: z.array(
      z.object({
        /** An IPv4 address, or the /64 network of an IPv6 address. */
        address: z.string(),
        count: z.number().int(),
        lastAt: Timestamp,
      }),
    ),
  })
  .meta({ id: 'LoginFailureReport' });
export type LoginFailureReport = z.infer<typeof LoginFailureReport>;
