/** The part of a thread that was read: only what was on the screen, without a gap after what was read before. */
import type { Message } from '#protocol/message.ts';

/** Everything before a message was read, and the message itself if it is included. */
export interface ReadUpTo {
  id: string;
  isIncluded: boolean;
}

/** Positions of messages on the screen: of the first that is at least partly visible, and of the last whose end is. */
export interface Sight {
  top: number;
  bottom: number;
  /** Whether the end of the conversation is on the screen, or almost. */
  isAtEnd: boolean;
}

export const covers = (read: ReadUpTo, id: string): boolean =>
  id < read.id || (read.isIncluded && id === read.id);

export interface Shown {
  /** Oldest first. */
  messages: readonly Message[];
  hasOlder: boolean;
  /** Its own messages are read. */
  self: string;
}

/** Returns the position of the first message from somebody else that was not read; -1 if there is none. */
export function firstNotRead({ messages, self }: Pick<Shown, 'messages' | 'self'>, read: ReadUpTo): number {
  const start = messages.findLastIndex(({ id }) => covers(read, id)) + 1;
  return messages.findIndex(({ from }, at) => at >= start && from !== self);
}

/** Returns what was read after a sight of messages, which changes nothing if unread messages before it were not seen. */
export function readAfterSight(
  read: ReadUpTo,
  shown: Shown,
  { top, bottom }: Pick<Sight, 'top' | 'bottom'>,
): ReadUpTo {
  const next = firstNotRead(shown, read);
  const last = shown.messages[bottom];
  if (next < 0 || next < top || next > bottom || last === undefined) return read;
  // Unread messages may be before those that are loaded.
  const isFirstLoaded = next === 0 && shown.hasOlder && shown.messages[0]?.id !== read.id;
  return isFirstLoaded ? read : { id: last.id, isIncluded: true };
}

/** Whether a message, or its place if it is gone, is among these messages. */
export function isLoaded(
  id: string,
  { messages, hasOlder, hasNewer }: { messages: readonly Message[]; hasOlder: boolean; hasNewer: boolean },
): boolean {
  const [oldest] = messages;
  const newest = messages.at(-1);
  return (
    (!hasOlder || (oldest !== undefined && oldest.id <= id)) &&
    (!hasNewer || (newest !== undefined && newest.id >= id))
  );
}

/** Returns the position of a message; of the next newer one if it is gone, or of the last one. */
export function placeOf(id: string, messages: readonly Message[]): number {
  const at = messages.findIndex((one) => one.id >= id);
  return at < 0 ? messages.length - 1 : at;
}
