/** Sessions of the console (specification/authentication.md#sessions). */
import { z } from 'zod';
import { leaves } from './access.ts';
import { MemberName, Timestamp } from './ids.ts';
import { Role } from './member.ts';
import { text } from './text.ts';

export const sessionCookie = 'svc_session';

export const TotpLogin = z
  .object({
    code: z.string().regex(/^\d{6}$/, 'must be six digits'),
    /**
     * Verified against this member only; without it, all members with an authenticator are searched for a
     * match.
     */
    member: text(1, 64).nullish(),
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
