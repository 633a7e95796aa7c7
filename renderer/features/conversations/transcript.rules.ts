/** How the messages of a thread are grouped. */
import type { Message } from '#protocol/message.ts';
import { acceptedAt } from '#protocol/message-time.ts';
import { startOfDay } from '../../ui/time.rules.ts';

const togetherMs = 60_000;

/** Whether a message is the first of its day, in this time zone. */
export const beginsDay = (before: Message | undefined, message: Message): boolean =>
  before === undefined || startOfDay(acceptedAt(before)) !== startOfDay(acceptedAt(message));

/**
 * Whether a message is grouped with the previous one under one name: same sender and level, within a minute, on the
 * same day, and nothing in between.
 */
export const continuesAfter = (before: Message | undefined, message: Message): boolean =>
  before !== undefined &&
  before.from === message.from &&
  before.level === message.level &&
  !beginsDay(before, message) &&
  acceptedAt(message) - acceptedAt(before) < togetherMs &&
  before.data.event === undefined &&
  message.title === null;
