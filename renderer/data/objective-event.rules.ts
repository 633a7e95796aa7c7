/** An event of an objective in words, as its log and the notices in its thread have it. Pure. */
import type { Message } from '#protocol/message.ts';
import type { ObjectiveEventBody } from '#protocol/objective.ts';

export type SaidEvent = ObjectiveEventBody & { actor: string };

/** `detail` is Markdown of a member; null if there is none. */
export function wordsOfEvent(event: SaidEvent): { text: string; detail: string | null } {
  const { actor } = event;
  switch (event.kind) {
    case 'assigned':
      return { text: `${actor} created it and assigned it to ${event.payload.assignee}`, detail: null };
    case 'blocked':
      return { text: `${actor} blocked it`, detail: event.payload.reason };
    case 'unblocked':
      return { text: `${actor} unblocked it`, detail: null };
    case 'completed':
      return { text: `${actor} completed it`, detail: event.payload.result };
    case 'cancelled':
      return { text: `${actor} canceled it`, detail: event.payload.reason || null };
    case 'reassigned': {
      const { from, to, note } = event.payload;
      return { text: `${actor} reassigned it from ${from} to ${to}`, detail: note || null };
    }
    case 'watcher_added':
      return { text: `${actor} added ${event.payload.name} to the watchers`, detail: null };
    case 'watcher_removed':
      return { text: `${actor} removed ${event.payload.name} from the watchers`, detail: null };
  }
}

const kinds: Record<ObjectiveEventBody['kind'], true> = {
  ...{ assigned: true, blocked: true, unblocked: true, completed: true, cancelled: true, reassigned: true },
  ...{ watcher_added: true, watcher_removed: true },
};

/** Returns the event that a notice tells of; null for another message. Only the broker writes events. */
export function noticedEvent({ from, data }: Pick<Message, 'from' | 'data'>): SaidEvent | null {
  const { type, payload } = (data.event ?? {}) as { type?: unknown; payload?: unknown };
  const kind = typeof type === 'string' && type.startsWith('objective.') ? type.slice(10) : '';
  if (!Object.hasOwn(kinds, kind) || typeof payload !== 'object' || payload === null) return null;
  return { actor: from, kind, payload } as SaidEvent;
}
