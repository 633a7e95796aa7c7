/** How messages stand together in a thread. */
import type { Message } from '#protocol/message.ts';

const togetherMs = 60_000;

/** Whether a message stands under the name of the message before it: same sender, within a minute, nothing between. */
export const continuesAfter = (before: Message | undefined, message: Message): boolean =>
  before !== undefined &&
  before.from === message.from &&
  message.ts - before.ts < togetherMs &&
  before.data.event === undefined &&
  message.title === null;

/** The id of the first message of others after the place that `self` had read; undefined for none. `messages`: oldest first. */
export const firstUnreadId = (
  messages: readonly Message[],
  lastReadId: string | null,
  self: string,
): string | undefined =>
  lastReadId === null ? undefined : messages.find(({ id, from }) => id > lastReadId && from !== self)?.id;
