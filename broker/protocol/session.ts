/** Sessions of the web UI (specification "Sessions"; D4, D20). */
import { z } from 'zod';
import { leaves } from './access.ts';
import { MemberName, Timestamp } from './ids.ts';
import { Role } from './member.ts';
import { text } from './text.ts';

export const sessionCookie = 'svc_session';

export const TotpLogin = z
  .object({
    code: z.string().regex(/^\d{6}$/, 'must be six digits'),
    /** Verified against this member only; without it, enrolled members are searched for a match. */
    member: text(1, 64).nullish(),
  })
  .meta({ id: 'TotpLogin' });
export type TotpLogin = z.infer<typeof TotpLogin>;

/** With a bearer `expiresAt` is the token's expiry, or null. */
export const SessionReply = z
  .object({
    member: MemberName,
    role: Role,
    permissions: z.array(z.enum(leaves)),
    expiresAt: Timestamp.nullable(),
  })
  .meta({ id: 'SessionReply' });
export type SessionReply = z.infer<typeof SessionReply>;
