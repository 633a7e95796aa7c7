/**
 * Stamps for accepted messages: `ts` never decreases, and the UUIDv7 `id` always increases
 * (specification/messages.md#message).
 */
import { randomUUID } from 'node:crypto';
import type { MessageId } from '#protocol/ids.ts';
import type { Clock } from './clock.ts';

export interface MessageStamp {
  id: MessageId;
  ts: number;
}

/** The 12 bits after the version number count the stamps within a millisecond. */
const counterEnd = 0x1000;

/**
 * Starts after `lastTs`, the time of the newest stored message, so that a clock that was set back does not
 * reorder. If one millisecond runs out of counter values, the next one is borrowed.
 */
export function createMessageStamps(clock: Clock, lastTs: number): () => MessageStamp {
  let ts = lastTs;
  let counter = counterEnd;
  return () => {
    const now = clock();
    if (now > ts) {
      ts = now;
      counter = 0;
    } else if (counter === counterEnd) {
      ts += 1;
      counter = 0;
    }
    const time = ts.toString(16).padStart(12, '0');
    const count = counter.toString(16).padStart(3, '0');
    counter += 1;
    // The last two groups of a random UUID are the variant and 62 random bits.
    return {
      id: `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}` as MessageId,
      ts,
    };
  };
}
