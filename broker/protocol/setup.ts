/** The first setup of an unconfigured broker (specification/team.md#setup). */
import { z } from 'zod';
import { MemberName } from './ids.ts';
import { limits } from './limits.ts';
import { NewRole, Teammate } from './member.ts';
import { LoginReply, TotpLogin } from './session.ts';
import { nameText, text } from './text.ts';

/** An authenticator that its owner has already enrolled, with a code that proves it. */
export const ConfirmedAuthenticator = z
  .object({
    /** As `proposeAuthenticator` created it. */
    totpSecret: z.string().regex(/^[A-Z2-7]{32}$/, 'must be 32 characters of base32'),
    ...TotpLogin.pick({ code: true, bound: true, remember: true }).shape,
  })
  .meta({ id: 'ConfirmedAuthenticator' });

/**
 * `confirmed`: binds this authenticator, as `proposeTotp` created it, or nothing if the code is wrong. `presentCode`: a
 * code of the authenticator that is replaced, without which nobody replaces their own.
 */
export const TotpReplacement = z
  .object({
    confirmed: ConfirmedAuthenticator.pick({ totpSecret: true, code: true }).optional(),
    presentCode: TotpLogin.shape.code.optional(),
  })
  .meta({ id: 'TotpReplacement' });
export type TotpReplacement = z.infer<typeof TotpReplacement>;

export const SetupRequest = z
  .object({
    team: z.object({
      name: nameText(1, limits.team.name),
      directive: text(0, limits.team.directive).default(''),
      brief: text(0, limits.team.brief).default(''),
    }),
    admin: z.object({ name: MemberName, role: NewRole }),
    totp: z.boolean().default(true),
    /** Nothing is written if the code is wrong. The setup uses the code up, and opens a session with it. */
    confirmed: ConfirmedAuthenticator.optional(),
  })
  .refine(({ totp, confirmed }) => totp || confirmed === undefined, {
    path: ['confirmed'],
    error: 'must be absent if totp is false',
  })
  .meta({ id: 'SetupRequest' });
export type SetupRequest = z.infer<typeof SetupRequest>;

/**
 * Shown once: the token and the TOTP secret are stored only hashed and encrypted. The TOTP fields are null if
 * `totp` was false.
 */
export const SetupReply = z
  .object({
    member: Teammate,
    token: z.string(),
    totpSecret: z.string().nullable(),
    totpUri: z.string().nullable(),
    /** The session that a confirmed authenticator opened; absent without one. */
    session: LoginReply.optional(),
    /** The address for which the broker saved the token on its own machine; absent if it saved none. */
    savedFor: z.string().optional(),
  })
  .meta({ id: 'SetupReply' });
export type SetupReply = z.infer<typeof SetupReply>;
