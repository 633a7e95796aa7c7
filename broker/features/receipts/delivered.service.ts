/**
 * Records what live streams have carried, as ranges of the order of acceptance, because a single position would
 * call delivered what a stream that began later never carried. Written at most once a second, however many
 * messages and members (specification/receipts.md#states).
 */
import type { LiveStreams } from '../../http/live-streams.ts';
import { type Carried, type Range, withRange } from './delivered-news.rules.ts';
import type { ReceiptUnits } from './receipts.sqlite.ts';

export interface Delivered {
  /** Resolves when what the streams have carried so far is written, or could not be. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export interface DeliveredDeps {
  units: Pick<ReceiptUnits, 'keepDelivered'>;
  streams: Pick<LiveStreams, 'drainCarried'>;
  /**
   * Called with the ranges that no stream had carried before, once they are stored: with those of all members
   * at once.
   */
  onDelivered: (carried: readonly Carried[]) => void;
  onWriteDeferred: (error: unknown) => void;
}

const everyMs = 1000;

/**
 * How many ranges are written in one turn of the store, between the writes of others: about 2 ms
 * (ADR 0041).
 */
const slice = 250;

/**
 * One round of slices is written at a time. Messages carried meanwhile are joined to a few ranges per member and
 * become the next round, so a slow store makes rounds rarer, and not longer.
 */
export function createDelivered({ units, streams, onDelivered, onWriteDeferred }: DeliveredDeps): Delivered {
  let waitingByMember = new Map<string, Range[]>();
  /** The last round that was begun or planned. */
  let round: Promise<void> = Promise.resolve();
  let isPlanned = false;

  function collect(): void {
    for (const { key, from, to } of streams.drainCarried())
      waitingByMember.set(key, withRange(waitingByMember.get(key) ?? [], { from, to }));
  }

  /** By name, so that a slice changes few pages of the store. */
  function takeWaiting(): Carried[] {
    const names = [...waitingByMember.keys()].sort();
    const taken = names.flatMap((member) =>
      (waitingByMember.get(member) ?? []).map(({ from, to }) => ({ member, from, to })),
    );
    waitingByMember = new Map();
    return taken;
  }

  async function writeRound(): Promise<void> {
    isPlanned = false;
    const ranges = takeWaiting();
    const fresh: Carried[] = [];
    try {
      for (let at = 0; at < ranges.length; at += slice)
        fresh.push(...(await units.keepDelivered(ranges.slice(at, at + slice))));
    } finally {
      if (fresh.length > 0) onDelivered(fresh);
    }
  }

  function flush(): Promise<void> {
    collect();
    if (waitingByMember.size > 0 && !isPlanned) {
      isPlanned = true;
      round = round.then(writeRound).catch(onWriteDeferred);
    }
    return round;
  }

  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
