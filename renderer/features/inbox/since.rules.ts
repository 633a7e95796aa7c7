/** The events since the member was here. Pure. */
import type { Objective } from '#protocol/objective.ts';
import type { UnreadScope } from '#protocol/receipt.ts';
import { parseScope } from '#protocol/scope.ts';

/** Lists of the team's newest objectives, as they are loaded. */
export interface Lists {
  active: readonly Objective[];
  blocked: readonly Objective[];
  done: readonly Objective[];
}

export interface News {
  finished: Objective[];
  started: Objective[];
  blocked: Objective[];
}

/** `since`: in epoch ms. The newest come first. */
export function newsSince({ active, blocked, done }: Lists, since: number): News {
  const newest = (list: readonly Objective[], at: (one: Objective) => number | null) =>
    list.filter((one) => (at(one) ?? 0) >= since).sort((a, b) => (at(b) ?? 0) - (at(a) ?? 0));
  return {
    finished: newest(done, ({ completedAt }) => completedAt),
    started: newest([...active, ...blocked], ({ createdAt }) => createdAt),
    blocked: newest(blocked, ({ updatedAt }) => updatedAt),
  };
}

/** Returns `general` and the channels with unread messages, without the `muted` ones, the most messages first. */
export const unreadChannels = (scopes: readonly UnreadScope[], muted: ReadonlySet<string>): UnreadScope[] =>
  scopes
    .filter(({ scope, count }) => count > 0 && !muted.has(scope))
    .filter(({ scope }) => ['general', 'channel'].includes(parseScope(scope)?.kind ?? ''))
    .sort((a, b) => b.count - a.count);
