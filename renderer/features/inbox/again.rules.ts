/** The time until the inbox is read again although nothing was reported. Pure. */
import type { Inbox } from '#protocol/inbox.ts';

/** No event reports a full disk, an item put off until now, or one dealt with on another device. */
export const againMs = 60_000;
/** A lower bound, in case this clock is ahead of the broker's. */
const minAgainMs = 1000;

/** Returns the milliseconds until then. An item may end by itself before `againMs`; one that outlasted its end by as much does not count. */
export function untilAgain({ items }: Inbox, now: number): number {
  const ends = items.flatMap(({ until }) =>
    until === undefined || until < now - againMs ? [] : [until - now],
  );
  return Math.max(minAgainMs, Math.min(againMs, ...ends));
}
