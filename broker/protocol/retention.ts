/** How long the broker keeps what it stores, and what it must keep (specification/retention.md). */
import { z } from 'zod';
import { ChannelId, Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';

const { daysMax, bytesMin, auditDaysMin, auditRecordsMin } = limits.retention;

const days = z.int().min(1).max(daysMax);

/** `days` counts whole days in UTC. `maxBytes` is a size in bytes; the oldest goes first. */
export const AgeAndSize = z.object({
  days: days.optional(),
  maxBytes: z.int().min(bytesMin).optional(),
});
export type AgeAndSize = z.infer<typeof AgeAndSize>;

export const AuditRetention = z.object({
  days: z.int().min(auditDaysMin).max(daysMax).optional(),
  maxRecords: z.int().min(auditRecordsMin).optional(),
});

/** Replaces the rule for messages in one channel. Null keeps its messages without a limit. */
export const ChannelRetention = z.object({ days: days.nullable() });

const memberName = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?';
const shortId = '[0-9a-hjkmnp-tv-z]{10}';
const holdable = new RegExp(
  `^(?:general|chan:ch_${shortId}|obj:obj_${shortId}|dm:${memberName}:${memberName}|member:${memberName})$`,
);

/**
 * The target of a hold: a conversation as `general`, `chan:<channel id>`, `obj:<objective id>`, or `dm:<member>:<member>`,
 * or a member as `member:<name>`.
 */
export const HoldTarget = z
  .string()
  .max(3 + 2 * limits.memberName + 1)
  .regex(holdable, 'must be general, chan:<id>, obj:<id>, dm:<member>:<member>, or member:<name>');

/** While it is in force, nothing that it covers is removed. `by` is the member who set it. */
export const LegalHold = z
  .object({
    id: z.uuid(),
    on: HoldTarget,
    reason: text(1, limits.retention.reason),
    by: z.string(),
    at: Timestamp,
  })
  .meta({ id: 'LegalHold' });
export type LegalHold = z.infer<typeof LegalHold>;

/** Each rule is off while it is absent. */
export const RetentionPolicy = z.object({
  messages: AgeAndSize.optional(),
  activity: AgeAndSize.optional(),
  audit: AuditRetention.optional(),
  channels: z.record(ChannelId, ChannelRetention).optional(),
  holds: z.array(LegalHold).max(limits.retention.holds).optional(),
});
export type RetentionPolicy = z.infer<typeof RetentionPolicy>;

/** A run over everything that is stored. `endedAt` is null while it is in progress. */
export const RetentionRun = z
  .object({
    startedAt: Timestamp,
    endedAt: Timestamp.nullable(),
    messages: z.int().nonnegative(),
    activity: z.int().nonnegative(),
    audit: z.int().nonnegative(),
  })
  .meta({ id: 'RetentionRun' });
export type RetentionRun = z.infer<typeof RetentionRun>;

/** `run`: the newest run since the broker started, or null. */
export const RetentionState = RetentionPolicy.required({ channels: true, holds: true })
  .extend({ run: RetentionRun.nullable() })
  .meta({ id: 'RetentionState' });
export type RetentionState = z.infer<typeof RetentionState>;

/** A rule that is given replaces the present one, and null removes it; of `channels`, only those that are named. */
export const RetentionPatch = z
  .object({
    messages: AgeAndSize.nullable(),
    activity: AgeAndSize.nullable(),
    audit: AuditRetention.nullable(),
    channels: z.record(ChannelId, ChannelRetention.nullable()),
    hold: LegalHold.pick({ on: true, reason: true }),
    /** The id of a hold. */
    release: z.uuid(),
  })
  .partial()
  .meta({ id: 'RetentionPatch' });
export type RetentionPatch = z.infer<typeof RetentionPatch>;
