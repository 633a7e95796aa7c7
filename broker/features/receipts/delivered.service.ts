/**
 * What live streams have carried, kept as ranges of the order of acceptance, because a single position would
 * call delivered what a stream that began later never carried. Written at most once a second, however many
 * messages and members (specification/receipts.md#states).
 */
import type { LiveStreams } from '../../http/live-streams.ts';
import type { Carried } from './delivered-news.rules.ts';
import type { ReceiptUnits } from './receipts.sqlite.ts';

export interface Delivered {
  /** Writes what the streams have carried so far. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export interface DeliveredDeps {
  units: Pick<ReceiptUnits, 'keepDelivered'>;
  streams: Pick<LiveStreams, 'drainCarried'>;
  /** Called with the ranges that no stream had carried before, once they are stored. */
  onDelivered: (carried: readonly Carried[]) => void;
  onWriteDeferred: (error: unknown) => void;
}

const everyMs = 1000;

export function createDelivered({ units, streams, onDelivered, onWriteDeferred }: DeliveredDeps): Delivered {
  let writing: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    const ranges = streams.drainCarried().map(({ key, from, to }) => ({ member: key, from, to }));
    if (ranges.length > 0)
      writing = writing
        .then(async () => onDelivered(await units.keepDelivered(ranges)))
        .catch(onWriteDeferred);
    return writing;
  };
  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
