/** The need of an objective, in one sentence for the reader, and the action that answers it. Pure. */
import type { InboxItem } from '#protocol/inbox.ts';
import { moreUnreadKey } from '#protocol/inbox-about.ts';
import type { Objective } from '#protocol/objective.ts';
import { formatScope, parseScope } from '#protocol/scope.ts';

export interface NeedFacts {
  objective: Pick<Objective, 'id' | 'status' | 'assignee' | 'originator'>;
  /** The name of the reader. */
  self: string;
  mayUpdate: boolean;
  mayDiscuss: boolean;
  /** The reader's inbox; undefined while it is not known. */
  inbox: readonly InboxItem[] | undefined;
  /** The newest request for the inbox failed, so that the items may be out of date. */
  hasFailed?: boolean;
}

export interface Need {
  /** Null while it is not known. */
  sentence: string | null;
  /** The action to offer first; null if there is none. */
  act: 'complete' | 'answer' | 'unblock' | 'clear' | null;
  /** The item of the inbox that `clear` clears. */
  result: InboxItem | null;
}

const need = (sentence: string | null, act: Need['act'] = null, result: Need['result'] = null): Need => ({
  sentence,
  act,
  result,
});

/** Returns what an item of the inbox is about, as seen from an objective; null if it is about something else. */
export function aspectOf(
  { kind, place, scope }: InboxItem,
  { id, status, assignee }: Pick<Objective, 'id' | 'status' | 'assignee'>,
): 'itself' | 'held' | 'thread' | 'assignee' | null {
  const thread = formatScope({ kind: 'objective', objectiveId: id });
  if (place.kind === 'objective' && place.id === id) return 'itself';
  if (kind === 'held' && scope === thread) return 'held';
  if (place.kind === 'conversation' && place.scope === thread) return 'thread';
  const isOpen = status === 'active' || status === 'blocked';
  return isOpen && place.kind === 'member' && place.name === assignee ? 'assignee' : null;
}

/** Returns whether an item of the inbox is about any objective or its thread. */
export const isOfObjective = ({ place, scope }: Pick<InboxItem, 'place' | 'scope'>): boolean =>
  place.kind === 'objective' || (scope !== null && parseScope(scope)?.kind === 'objective');

/** Says that nothing is needed only if nothing in the inbox is about the objective, its thread, or its assignee. */
export function needOf({
  objective,
  self,
  mayUpdate,
  mayDiscuss,
  inbox,
  hasFailed = false,
}: NeedFacts): Need {
  const { status, assignee, originator } = objective;
  const isOpen = status === 'active' || status === 'blocked';
  const isOwn = assignee === self;
  const find = (aspect: ReturnType<typeof aspectOf>) =>
    inbox?.find((item) => aspectOf(item, objective) === aspect);
  const own = find('itself');

  if (status === 'done' && own !== undefined)
    return need(
      `${assignee} completed it for you: read the result, then clear it from your inbox.`,
      'clear',
      own,
    );
  if (status === 'blocked' && own !== undefined) {
    const ways = [...(mayDiscuss ? ['answer in its thread'] : []), ...(mayUpdate ? ['unblock it'] : [])];
    const sentence =
      ways.length === 0
        ? 'It waits for you, because the reason mentions you.'
        : `It waits for you: ${ways.join(', or ')}.`;
    return need(sentence, mayDiscuss ? 'answer' : mayUpdate ? 'unblock' : null);
  }
  if (isOpen && isOwn)
    return status === 'active'
      ? need('It is yours: complete it when the outcome is achieved.', 'complete')
      : need('It is yours: unblock it when you can go on.', 'unblock');
  if (inbox === undefined) return need(null);
  if (find('held') !== undefined) return need('A post in its thread is held: your inbox says why.');
  if (find('thread') !== undefined) return need('A message in its thread needs you: read the timeline.');
  if (find('assignee') !== undefined) return need(`${assignee} needs you: your inbox says why.`);
  // Something about it may be missing.
  if (hasFailed || inbox.some(({ key }) => key === moreUnreadKey)) return need(null);
  if (status === 'blocked' && originator === self)
    return need(`It stays blocked until ${assignee} or a manager unblocks it.`);
  return need('It needs nothing from you now.');
}
