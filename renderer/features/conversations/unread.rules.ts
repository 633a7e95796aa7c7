/** The effects of unread counts on the list of conversations and the navigation badge. */
import type { Unread } from '#protocol/receipt.ts';
import { parseScope } from '#protocol/scope.ts';

type Counts = Unread['scopes'];

/**
 * Returns the ids of the objectives whose threads have unread messages, and of the open thread. `current`:
 * its scope.
 */
export const threadsWithNews = (counts: Counts, current: string): string[] =>
  counts.flatMap(({ scope, count }) => {
    const parsed = parseScope(scope);
    return parsed?.kind === 'objective' && (count > 0 || scope === current) ? [parsed.objectiveId] : [];
  });

/** Returns the names of members who wrote direct messages and are no longer on the team. */
export const formerPartners = (counts: Counts, present: ReadonlySet<string>): string[] =>
  counts.flatMap(({ scope }) => {
    const parsed = parseScope(scope);
    return parsed?.kind === 'direct' && !present.has(parsed.member) ? [parsed.member] : [];
  });

/**
 * Returns the number of unread messages that address the reader: every direct message that is not in a muted conversation,
 * and mentions elsewhere.
 */
export const personalCount = (counts: Counts, muted: ReadonlySet<string>): number =>
  counts.reduce(
    (sum, { scope, count, mentions }) =>
      sum + (parseScope(scope)?.kind === 'direct' && !muted.has(scope) ? count : mentions),
    0,
  );
