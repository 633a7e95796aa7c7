/** How the messages of a thread are grouped. */
import type { Message } from '#protocol/message.ts';
import { startOfDay } from '../../ui/time.rules.ts';

const togetherMs = 60_000;

/** Whether a message is the first of its day, in this time zone. */
export const beginsDay = (before: Message | undefined, message: Message): boolean =>
  before === undefined || startOfDay(before.ts) !== startOfDay(message.ts);

/**
 * Whether a message is grouped with the previous one under one name: same sender and level, within a minute, on the
 * same day, and nothing in between.
 */
export const continuesAfter = (before: Message | undefined, message: Message): boolean =>
  before !== undefined &&
  before.from === message.from &&
  before.level === message.level &&
  !beginsDay(before, message) &&
  message.ts - before.ts < togetherMs &&
  before.data.event === undefined &&
  message.title === null;
