/**
 * Device enrollment according to RFC 8628 (specification/enrollment.md). Durations here are in seconds, as in
 * the RFC.
 */
import { z } from 'zod';
import { MemberName, Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { NewMember, Teammate } from './member.ts';
import { nameText, text } from './text.ts';
import { TokenInfo } from './token.ts';

const Label = nameText(0, limits.tokenLabel);

export const userCodeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ';

/** Eight letters, shown as XXXX-XXXX and read without regard to case, spaces, or hyphens. */
export const UserCode = z
  .string()
  .max(64)
  .transform((code) => code.toUpperCase().replaceAll(/[\s-]/g, ''))
  .refine(
    (code) => code.length === 8 && [...code].every((letter) => userCodeAlphabet.includes(letter)),
    'must be a code like BCDF-GHJK',
  )
  .transform((code) => `${code.slice(0, 4)}-${code.slice(4)}`)
  .meta({ type: 'string', examples: ['BCDF-GHJK'] });

export const EnrollRequest = z.object({ labelHint: Label.nullish() }).meta({ id: 'EnrollRequest' });
export type EnrollRequest = z.infer<typeof EnrollRequest>;

export const DeviceAuthorization = z
  .object({
    deviceCode: z.string(),
    userCode: z.string(),
    verificationUri: z.string(),
    verificationUriComplete: z.string(),
    expiresIn: z.int(),
    interval: z.int(),
  })
  .meta({ id: 'DeviceAuthorization' });
export type DeviceAuthorization = z.infer<typeof DeviceAuthorization>;

export const EnrollPoll = z.object({ deviceCode: z.string().min(1).max(256) }).meta({ id: 'EnrollPoll' });
export type EnrollPoll = z.infer<typeof EnrollPoll>;

/** Delivered once. */
export const DeviceToken = z
  .object({ token: z.string(), tokenId: z.uuid(), member: Teammate })
  .meta({ id: 'DeviceToken' });
export type DeviceToken = z.infer<typeof DeviceToken>;

export const PendingEnrollment = z
  .object({
    userCode: z.string(),
    labelHint: z.string().nullable(),
    sourceIp: z.string().nullable(),
    userAgent: z.string().nullable(),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  })
  .meta({ id: 'PendingEnrollment' });
export type PendingEnrollment = z.infer<typeof PendingEnrollment>;

/** Oldest first. */
export const PendingEnrollments = z
  .object({ enrollments: z.array(PendingEnrollment) })
  .meta({ id: 'PendingEnrollments' });
export type PendingEnrollments = z.infer<typeof PendingEnrollments>;

export const Approval = z
  .discriminatedUnion('mode', [
    z.object({ mode: z.literal('bind'), userCode: UserCode, memberName: z.string(), label: Label.nullish() }),
    z.object({
      mode: z.literal('create'),
      userCode: UserCode,
      memberName: MemberName,
      role: NewMember.shape.role,
      instructions: NewMember.shape.instructions,
      permissions: NewMember.shape.permissions,
      label: Label.nullish(),
    }),
  ])
  .meta({ id: 'Approval' });
export type Approval = z.infer<typeof Approval>;

/** No plaintext: the token goes to the device on its next poll. */
export const Approved = z.object({ member: Teammate, tokenInfo: TokenInfo }).meta({ id: 'Approved' });
export type Approved = z.infer<typeof Approved>;

export const Rejection = z
  .object({ userCode: UserCode, reason: text(0, 512).nullish() })
  .meta({ id: 'Rejection' });
export type Rejection = z.infer<typeof Rejection>;

/** Decided and expired requests of the last 30 days, newest first. */
export const EnrollmentHistory = z
  .object({
    enrollments: z.array(
      PendingEnrollment.omit({ expiresAt: true }).extend({
        outcome: z.enum(['approved', 'rejected', 'expired']),
        decidedAt: Timestamp,
        decidedBy: z.string().nullable(),
        memberName: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'EnrollmentHistory' });
export type EnrollmentHistory = z.infer<typeof EnrollmentHistory>;
