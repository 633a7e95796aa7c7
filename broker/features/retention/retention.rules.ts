/** Determines which rule decides about what, and what a hold covers (specification/retention.md). Pure. */
import { limits } from '#protocol/limits.ts';
import type { RetentionPolicy } from '#protocol/retention.ts';
import { channelScope, formatScope, parseScope } from '#protocol/scope.ts';

/** A rule by age. Its name is its path in the policy. */
export interface AgeRule {
  name: string;
  /** Everything older is removed; epoch ms. */
  before: number;
}

const dayMs = 86_400_000;
const memberPrefix = 'member:';

/** The start of the day in UTC that is `days` before the day of `now`. */
export const cutoff = (days: number, now: number): number => now - (now % dayMs) - days * dayMs;

const ageRule = (name: string, days: number | undefined, now: number): AgeRule | null =>
  days === undefined ? null : { name, before: cutoff(days, now) };

/** The name of the member that a hold is on; null for a conversation. */
export const memberOfHold = (on: string): string | null =>
  on.startsWith(memberPrefix) ? on.slice(memberPrefix.length) : null;

/** The members who are held by name. */
export const heldMembers = ({ holds = [] }: RetentionPolicy): string[] =>
  holds.map(({ on }) => memberOfHold(on)).filter((name) => name !== null);

/** A hold on a direct conversation names both sides in any order; the key of the store has them sorted. */
export function keyOfHold(on: string): string {
  const scope = parseScope(on);
  if (scope?.kind !== 'direct') return on;
  return formatScope({ kind: 'direct', member: scope.member.split(':').sort().join(':') });
}

/** The stored keys of the conversations that are held as a whole, through a hold on them or on a side of a direct conversation. */
export function isHeldScope(policy: RetentionPolicy, key: string): boolean {
  const { holds = [] } = policy;
  if (holds.some(({ on }) => memberOfHold(on) === null && keyOfHold(on) === key)) return true;
  const scope = parseScope(key);
  if (scope?.kind !== 'direct') return false;
  const sides = scope.member.split(':');
  return heldMembers(policy).some((member) => sides.includes(member));
}

/** The id by which the rules of channels name a conversation; null for one that is no channel. */
function channelOf(key: string): string | null {
  const scope = parseScope(key);
  if (scope?.kind === 'general') return 'general';
  return scope?.kind === 'channel' ? scope.channelId : null;
}

function ownRule(
  { channels = {} }: RetentionPolicy,
  key: string,
): { id: string; days: number | null } | null {
  const id = channelOf(key);
  if (id === null || !Object.hasOwn(channels, id)) return null;
  const rule = channels[id as keyof typeof channels];
  return rule === undefined ? null : { id, days: rule.days };
}

/** The rule by age for the messages of a conversation. Null: none of them is too old. */
export function messageAgeRule(policy: RetentionPolicy, key: string, now: number): AgeRule | null {
  if (isHeldScope(policy, key)) return null;
  const own = ownRule(policy, key);
  if (own !== null) return ageRule(`channels.${own.id}.days`, own.days ?? undefined, now);
  return ageRule('messages.days', policy.messages?.days, now);
}

/** The stored keys of the conversations that the rule by size leaves alone: held ones, and channels with a rule of their own. */
export const exemptFromSize = ({ channels = {}, holds = [] }: RetentionPolicy): string[] => [
  ...holds.filter(({ on }) => memberOfHold(on) === null).map(({ on }) => keyOfHold(on)),
  ...Object.keys(channels).map((channelId) => formatScope(channelScope(channelId))),
];

/** Whether messages are removed at all by age. */
export const hasMessageAges = ({ messages, channels = {} }: RetentionPolicy): boolean =>
  messages?.days !== undefined || Object.values(channels).some(({ days }) => days !== null);

export const activityAgeRule = ({ activity }: RetentionPolicy, now: number): AgeRule | null =>
  ageRule('activity.days', activity?.days, now);

/**
 * The bounds of removal from the audit log: records from before `before` are removed, and the oldest of more than
 * `maxRecords` if they are from before `excessBefore`.
 */
export interface AuditBounds {
  before: number;
  maxRecords: number;
  excessBefore: number;
}

/**
 * Null: the audit log stays as it is. A hold of anything keeps all of it, because it proves the hold. Nobody can push a record out
 * by causing many others: what is younger than the shortest age stays, however much there is.
 */
export function auditBounds({ audit, holds = [] }: RetentionPolicy, now: number): AuditBounds | null {
  if (audit === undefined || holds.length > 0) return null;
  const { days, maxRecords } = audit;
  if (days === undefined && maxRecords === undefined) return null;
  return {
    before: days === undefined ? 0 : cutoff(days, now),
    maxRecords: maxRecords ?? Number.MAX_SAFE_INTEGER,
    excessBefore: cutoff(limits.retention.auditDaysMin, now),
  };
}

/** Whether the next run begins, planned for a time within `everyMs`. Later than that, the clock was set back since. */
export const isDue = (plannedAt: number, now: number): boolean =>
  now >= plannedAt || plannedAt - now > limits.retention.everyMs;

/** Whether there is a rule that removes something. */
export const hasRules = (policy: RetentionPolicy): boolean =>
  hasMessageAges(policy) ||
  policy.messages?.maxBytes !== undefined ||
  policy.activity !== undefined ||
  policy.audit !== undefined;
