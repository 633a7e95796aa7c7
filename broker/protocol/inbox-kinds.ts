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

/** The most urgent kind first, and the newest of a kind first; held posts are decided in their order, so the oldest is first. */
export const byUrgency = (a: Ranked, b: Ranked): number =>
  inboxKinds.indexOf(a.kind) - inboxKinds.indexOf(b.kind) ||
  ((b.at ?? 0) - (a.at ?? 0)) * (a.kind === 'held' ? -1 : 1);
