/** One message, or one position in the stream, on its way through the delivery. Pure. */
import type { Message } from '#protocol/message.ts';

export interface Entry {
  id: string;
  /** Null for an entry that is only a position. */
  message: Message | null;
  cursor: string | null;
  /** Whether the message begins a turn. */
  wakes: boolean;
  phase: 'waiting' | 'on its way' | 'arrived';
  /** How often it was brought to the agent in full. */
  shown: number;
}

export type MessageEntry = Entry & { message: Message };

export const messageEntry = (message: Message, cursor: string | null, wakes: boolean): MessageEntry => ({
  id: message.id,
  message,
  cursor,
  wakes,
  phase: 'waiting',
  shown: 0,
});

export const positionEntry = (id: string, cursor: string): Entry => ({
  id,
  message: null,
  cursor,
  wakes: false,
  phase: 'arrived',
  shown: 0,
});

export const isWaiting = (entry: Entry): entry is MessageEntry =>
  entry.message !== null && entry.phase === 'waiting';

/** Whether a message waits that begins a turn: then all that wait go along, in order. */
export const hasWakingIn = (queue: readonly Entry[]): boolean =>
  queue.some((entry) => isWaiting(entry) && entry.wakes);
