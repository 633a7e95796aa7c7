/**
 * The two halves of the outbox on store threads, with the units that a test needs to stage rows and to see
 * what arrived.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { activityMigrations } from '../../../storage/activity.migrations.ts';
import { mainMigrations } from '../../../storage/main.migrations.ts';
import { runStoreThread } from '../../../storage/store-loop.ts';
import type { ThreadSettings } from '../../../storage/thread-messages.ts';
import { type AsyncUnits, joinUnits } from '../../../storage/units.ts';
import { activityUnits, type BrokerActivity } from '../activity.sqlite.ts';
import { outboxUnits, stageOutbox } from '../outbox.sqlite.ts';

function stagingUnits(db: Database.Database) {
  const stage = stageOutbox(db);
  return {
    reads: {},
    writes: {
      stage: (activities: BrokerActivity[]): void => {
        for (const activity of activities) stage(activity);
      },
    },
  };
}

function arrivedUnits(db: Database.Database) {
  const all = db.prepare<[], { event: string }>('SELECT event FROM activity ORDER BY id');
  return { reads: { arrived: (): string[] => all.all().map(({ event }) => event) }, writes: {} };
}

export type StagingUnits = AsyncUnits<typeof stagingUnits> & AsyncUnits<typeof outboxUnits>;
export type ArrivedUnits = AsyncUnits<typeof arrivedUnits> & AsyncUnits<typeof activityUnits>;

const settings = workerData as ThreadSettings;
if (parentPort === null) throw new Error('this module runs as a store thread only');
runStoreThread(
  parentPort,
  settings,
  settings.store === 'main'
    ? { migrations: mainMigrations, units: joinUnits([outboxUnits, stagingUnits]) }
    : { migrations: activityMigrations, units: joinUnits([activityUnits, arrivedUnits]) },
);
