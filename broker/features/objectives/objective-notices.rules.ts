/**
 * Decides who is told about an objective, and how: the notice of each audit event, for whom it is, and what the
 * activity streams are told (specification/messages.md#notices). Pure.
 */
import type { Level } from '#protocol/message.ts';
import type { Objective, ObjectiveEvent } from '#protocol/objective.ts';
import { formatScope } from '#protocol/scope.ts';

/** The name of an objective's thread, which is also its stored key. */
export const threadOf = (objectiveId: string): string => formatScope({ kind: 'objective', objectiveId });

export interface Notice {
  body: string;
  level: Level;
  data: Record<string, unknown>;
}

const maxQuoteCharacters = 300;

/** Puts others' text into a sentence: one line, shortened if it is long; the event has all of it. */
function quoted(text: string): string {
  const points = [...text.replaceAll(/\s+/g, ' ')];
  return points.length <= maxQuoteCharacters
    ? points.join('')
    : `${points.slice(0, maxQuoteCharacters - 1).join('')}…`;
}

function sentence(event: ObjectiveEvent, title: string): string {
  const what = `“${quoted(title)}”`;
  const { actor } = event;
  switch (event.kind) {
    case 'assigned':
      return `${actor} assigned ${what} to ${event.payload.assignee}.`;
    case 'blocked':
      return `${actor} blocked ${what}: ${quoted(event.payload.reason)}`;
    case 'unblocked':
      return `${actor} unblocked ${what}.`;
    case 'completed':
      return `${actor} completed ${what}: ${quoted(event.payload.result)}`;
    case 'cancelled':
      return `${actor} canceled ${what}${event.payload.reason ? `: ${quoted(event.payload.reason)}` : '.'}`;
    case 'reassigned': {
      const { from, to, note } = event.payload;
      return `${actor} reassigned ${what} from ${from} to ${to}${note ? `: ${quoted(note)}` : '.'}`;
    }
    case 'watcher_added':
      return `${actor} added ${event.payload.name} to the watchers of ${what}.`;
    case 'watcher_removed':
      return `${actor} removed ${event.payload.name} from the watchers of ${what}.`;
  }
}

export function noticeOf(event: ObjectiveEvent, title: string): Notice {
  const { objectiveId, seq, kind, payload } = event;
  return {
    body: sentence(event, title),
    level: kind === 'blocked' ? 'warning' : 'info',
    data: {
      thread: threadOf(objectiveId),
      event: { type: `objective.${kind}`, objectiveId, seq, payload },
    },
  };
}

/**
 * Returns those whom the event concerns by name, who are notified outside the app as well; `blocked` is
 * notified because of its level (specification/web-push.md#sending).
 */
export function concernedBy(event: ObjectiveEvent, { originator, watchers }: Objective): string[] {
  switch (event.kind) {
    case 'assigned':
      return [event.payload.assignee];
    case 'reassigned':
      return [event.payload.to];
    case 'completed':
      return [originator, ...watchers];
    default:
      return [];
  }
}

export interface Marker {
  member: string;
  event: { kind: 'objective_open' | 'objective_close'; ts: number; objectiveId: string; result?: string };
}

/**
 * Returns what the members' activity streams get: open on assignment, and close when the member is done with
 * it (specification/objectives.md#activity-markers).
 */
export function markersOf(event: ObjectiveEvent, { assignee }: Objective): Marker[] {
  const { ts, objectiveId } = event;
  const open = (member: string): Marker => ({ member, event: { kind: 'objective_open', ts, objectiveId } });
  const close = (member: string, result: string): Marker => ({
    member,
    event: { kind: 'objective_close', ts, objectiveId, result },
  });
  switch (event.kind) {
    case 'assigned':
      return [open(event.payload.assignee)];
    case 'completed':
      return [close(assignee, 'done')];
    case 'cancelled':
      return [close(assignee, 'cancelled')];
    case 'reassigned':
      return [close(event.payload.from, 'reassigned'), open(event.payload.to)];
    default:
      return [];
  }
}
