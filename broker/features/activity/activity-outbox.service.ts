/**
 * Carries what the main store's outbox holds to the activity store: in order, each row once, also after a
 * crash (specification/activity.md#upload).
 */
import type { Clock } from '../../runtime/clock.ts';
import type { ActivityUnits, BrokerActivity } from './activity.sqlite.ts';
import type { OutboxUnits } from './outbox.sqlite.ts';

export interface ActivityOutbox {
  /** Moves everything that is staged. Calls while one runs are answered by one more run after it. */
  drain(): Promise<void>;
}

export interface ActivityOutboxDeps {
  main: OutboxUnits;
  activity: ActivityUnits;
  /** Part of the source key, so that rows of two stores are never confused. */
  storeId: string;
  clock: Clock;
  /** Called with the members whose rows are now in the activity store. */
  onStored?: (members: string[]) => void;
}

export function createActivityOutbox({
  main,
  activity,
  storeId,
  clock,
  onStored = () => undefined,
}: ActivityOutboxDeps): ActivityOutbox {
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | null = null;

  async function run(): Promise<void> {
    queued = null;
    for (let rows = await main.outboxOldest(); rows.length > 0; rows = await main.outboxOldest()) {
      const staged = rows.map(({ id, payload }) => ({
        source: `${storeId}-${id}`,
        activity: JSON.parse(payload) as BrokerActivity,
      }));
      await activity.applyOutbox({ now: clock(), rows: staged });
      onStored(staged.map(({ activity: { member } }) => member));
      await main.outboxRemoveUpTo({ id: rows.at(-1)?.id ?? 0 });
    }
  }

  return {
    drain() {
      queued ??= running
        .catch(() => undefined)
        .then(() => {
          running = run();
          return running;
        });
      return queued;
    },
  };
}
