/** What runs on a store thread: the units of work by name. The only file that loads them; `open-stores.ts` has their types. */
import { parentPort, workerData } from 'node:worker_threads';
import { activityUnits } from './features/activity/activity.sqlite.ts';
import { activityReadUnits } from './features/activity/activity-reads.sqlite.ts';
import { activityUploadUnits } from './features/activity/activity-upload.sqlite.ts';
import { outboxUnits } from './features/activity/outbox.sqlite.ts';
import { channelUnits } from './features/channels/channels.sqlite.ts';
import { enrollmentUnits } from './features/enrollment/enrollment.sqlite.ts';
import { fileUnits } from './features/files/files.sqlite.ts';
import { idempotencyUnits } from './features/idempotency/idempotency.sqlite.ts';
import { memberUnits } from './features/members/members.sqlite.ts';
import { messageUnits } from './features/messages/messages.sqlite.ts';
import { missedUnits } from './features/messages/missed.sqlite.ts';
import { objectiveUnits } from './features/objectives/objectives.sqlite.ts';
import { platformConnectUnits } from './features/platform-connect/platform-connect.sqlite.ts';
import { presenceUnits } from './features/presence/presence.sqlite.ts';
import { receiptUnits } from './features/receipts/receipts.sqlite.ts';
import { unreadUnits } from './features/receipts/unread.sqlite.ts';
import { waitingUnits } from './features/receipts/waiting.sqlite.ts';
import { searchUnits } from './features/search/search.sqlite.ts';
import { sessionUnits } from './features/sessions/sessions.sqlite.ts';
import { tokenUnits } from './features/tokens/tokens.sqlite.ts';
import { webPushUnits } from './features/web-push/web-push.sqlite.ts';
import { activityMigrations } from './storage/activity.migrations.ts';
import { mainMigrations } from './storage/main.migrations.ts';
import { identityUnits } from './storage/sqlite/identity.sqlite.ts';
import { runStoreThread, type StoreDefinition } from './storage/store-loop.ts';
import type { ThreadSettings } from './storage/thread-messages.ts';
import { joinUnits } from './storage/units.ts';

const definitionByStore: Record<string, StoreDefinition> = {
  main: {
    migrations: mainMigrations,
    units: (db) =>
      joinUnits([
        identityUnits(db),
        outboxUnits(db),
        messageUnits(db),
        missedUnits(db),
        objectiveUnits(db),
        channelUnits(db),
        fileUnits(db),
        idempotencyUnits(db),
        tokenUnits(db),
        memberUnits(db),
        sessionUnits(db),
        presenceUnits(db),
        enrollmentUnits(db),
        webPushUnits(db),
        platformConnectUnits(db),
        searchUnits(db),
        receiptUnits(db),
        unreadUnits(db),
        waitingUnits(db),
      ]),
  },
  activity: {
    migrations: activityMigrations,
    canShrink: true,
    isBackground: true,
    units: (db) => joinUnits([activityUnits(db), activityUploadUnits(db), activityReadUnits(db)]),
  },
};

const settings = workerData as ThreadSettings;
const definition = definitionByStore[settings.store];
if (parentPort === null || definition === undefined)
  throw new Error('store-thread runs as a store thread only');
runStoreThread(parentPort, settings, definition);
