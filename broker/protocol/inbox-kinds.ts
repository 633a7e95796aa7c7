/** The order of the inbox. Apart from the schemas, so that the console needs no zod for it. */

/** The most urgent kind first. */
export const inboxKinds = [
  'critical',
  'agent',
  'device',
  'held',
  'mention',
  'direct',
  'blocked',
  'result',
] as const;

type Ranked = { kind: (typeof inboxKinds)[number]; at: number | null };

/** A fault of the machine has no time, and comes before critical messages. */
const rankOf = ({ kind, at }: Ranked): number => at ?? (kind === 'critical' ? Number.MAX_SAFE_INTEGER : 0);

/**
 * The most urgent kind first, and the newest of a kind first. Faults of the machine come before critical messages, and held posts
 * are decided in their order, so the oldest is first.
 */
export const byUrgency = (a: Ranked, b: Ranked): number =>
  inboxKinds.indexOf(a.kind) - inboxKinds.indexOf(b.kind) ||
  (rankOf(b) - rankOf(a)) * (a.kind === 'held' ? -1 : 1);
