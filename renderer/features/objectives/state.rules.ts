/** The state of an objective in words: who brought it about, when, and why. Pure. */
import type { Objective, ObjectiveEvent } from '#protocol/objective.ts';

export interface ObjectiveState {
  words: string;
  /** In epoch ms. */
  since: number;
  /** The reason or the result, in Markdown; null if there is none. */
  text: string | null;
}

/** `events`: oldest first. */
export function stateOf(objective: Objective, events: readonly ObjectiveEvent[]): ObjectiveState {
  const { status, assignee, createdAt, completedAt, blockReason, result } = objective;
  const newest = (...kinds: ObjectiveEvent['kind'][]) =>
    events.findLast(({ kind }) => kinds.includes(kind)) ?? null;
  const by = (event: ObjectiveEvent | null) => (event === null ? '' : ` by ${event.actor}`);
  switch (status) {
    case 'active': {
      const since = newest('assigned', 'reassigned')?.ts ?? createdAt;
      return { words: `Active, assigned to ${assignee}`, since, text: null };
    }
    case 'blocked': {
      const event = newest('blocked');
      return { words: `Blocked${by(event)}`, since: event?.ts ?? objective.updatedAt, text: blockReason };
    }
    case 'done': {
      const event = newest('completed');
      return { words: `Done${by(event)}`, since: completedAt ?? objective.updatedAt, text: result };
    }
    case 'cancelled': {
      const event = events.findLast((one) => one.kind === 'cancelled') ?? null;
      const text = event?.payload.reason || null;
      return { words: `Canceled${by(event)}`, since: completedAt ?? objective.updatedAt, text };
    }
  }
}

/** Returns the reason of an objective that is blocked; null otherwise, also if it was blocked when it was canceled. */
export const reasonOf = ({
  status,
  blockReason,
}: Pick<Objective, 'status' | 'blockReason'>): string | null => (status === 'blocked' ? blockReason : null);
