/** The activity store's half of the outbox, which applies each staged row once. */
import type Database from 'better-sqlite3';
import type { AsyncUnits } from '../../storage/units.ts';

/** Activity that the broker itself records about a member (specification/objectives.md#activity-markers). */
export interface BrokerActivity {
  member: string;
  ts: number;
  kind: string;
  /** The event as JSON. */
  event: string;
}

export function activityUnits(db: Database.Database) {
  const apply = db.prepare<BrokerActivity & { source: string; now: number }>(
    `INSERT INTO activity (member, ts, kind, created_at, event, source) VALUES (:member, :ts, :kind, :now, :event, :source)
     ON CONFLICT (source) WHERE source IS NOT NULL DO NOTHING`,
  );
  return {
    reads: {},
    writes: {
      /**
       * Rows that were already applied under their source key are skipped, because a crash between the two
       * stores repeats this call.
       */
      applyOutbox: (input: { now: number; rows: { source: string; activity: BrokerActivity }[] }): void => {
        for (const { source, activity } of input.rows) apply.run({ ...activity, source, now: input.now });
      },
    },
  };
}
export type ActivityUnits = AsyncUnits<typeof activityUnits>;
