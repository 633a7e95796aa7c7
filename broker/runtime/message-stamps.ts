/**
 * Stamps for accepted messages: `ts` never decreases, and the UUIDv7 `id` always increases
 * (specification/messages.md#message).
 */
import { randomFillSync } from 'node:crypto';
import type { MessageId } from '#protocol/ids.ts';
import type { Clock } from './clock.ts';

export interface MessageStamp {
  id: MessageId;
  ts: number;
  /** The time by the clock, if `ts` is more than a minute ahead of it. */
  accepted_at: number | null;
}

/** Random bytes are drawn for many stamps at once. */
const poolBytes = 4096;
const randomBytes = 8;

/** A message is in the future beyond it. */
export const aheadMs = 60_000;

/** The 12 bits after the version number count the stamps within a millisecond. */
const counterEnd = 0x1000;

/**
 * Starts after `lastTs`, the time of the newest stored message, so that a clock that was set back does not
 * reorder. If one millisecond runs out of counter values, the next one is borrowed.
 */
export function createMessageStamps(clock: Clock, lastTs: number): () => MessageStamp {
  let ts = lastTs;
  let counter = counterEnd;
  const pool = Buffer.alloc(poolBytes);
  let used = poolBytes;

  /** Returns the last two groups of a UUID: the variant, and 62 random bits. */
  function randomGroups(): string {
    if (used === poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    pool[used] = ((pool[used] ?? 0) & 0x3f) | 0x80;
    const digits = pool.toString('hex', used, used + randomBytes);
    used += randomBytes;
    return `${digits.slice(0, 4)}-${digits.slice(4)}`;
  }

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
    return {
      id: `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomGroups()}` as MessageId,
      ts,
      accepted_at: ts - now > aheadMs ? now : null,
    };
  };
}
