/**
 * Names and ids: their grammars and brands. A branded value has passed its grammar once and is not checked
 * again.
 */
import { z } from 'zod';
import { limits } from './limits.ts';

const reservedNames = ['general', 'objectives', 'system', 'svc', 'all', 'everyone', 'here', 'channel'];
const memberNamePattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/**
 * A member's name: 1 to 64 of `A-Z a-z 0-9 . _ -`, first and last a letter or digit, no two dots in a row
 * (specification/members.md#names).
 */
export const MemberName = z
  .string()
  .max(limits.memberName, `must be at most ${limits.memberName} characters`)
  .regex(
    memberNamePattern,
    'must be letters, digits, ".", "_" or "-", starting and ending with a letter or digit',
  )
  .refine((name) => !name.includes('..'), 'must not have two dots in a row')
  .refine((name) => !reservedNames.includes(name.toLowerCase()), 'is a reserved name')
  .brand<'MemberName'>()
  .meta({ id: 'MemberName', examples: ['ada'] });
export type MemberName = z.infer<typeof MemberName>;

/** A message id: UUIDv7, increasing in the order of acceptance (specification/messages.md#message). */
export const MessageId = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 'must be a message id')
  .brand<'MessageId'>()
  .meta({ examples: ['019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071'] });
export type MessageId = z.infer<typeof MessageId>;

/**
 * A channel id, which stays while the slug may change. `general` has the id `general`
 * (specification/channels.md#channel).
 */
export const ChannelId = z
  .string()
  .regex(/^(?:general|ch_[0-9a-hjkmnp-tv-z]{10})$/, 'must be a channel id')
  .brand<'ChannelId'>();
export type ChannelId = z.infer<typeof ChannelId>;
export const generalChannelId = 'general' as ChannelId;

/** An objective id: `obj_` and 10 characters of Crockford base32 (specification/objectives.md#objective). */
export const ObjectiveId = z
  .string()
  .regex(/^obj_[0-9a-hjkmnp-tv-z]{10}$/, 'must be an objective id')
  .brand<'ObjectiveId'>();
export type ObjectiveId = z.infer<typeof ObjectiveId>;

/** Epoch milliseconds. */
export const Timestamp = z.int().nonnegative().meta({ description: 'epoch milliseconds' });

/** An integer in a query string. */
export function queryInteger(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be ${min} to ${max}`)
    .meta({ type: 'integer', minimum: min, maximum: max });
}
