/**
 * What runs on a store thread: the units of work by name. The only file that loads them; the serving thread imports the types that are
 * inferred from the two lists.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { activityUnits } from './features/activity/activity.sqlite.ts';
import { activityReadUnits } from './features/activity/activity-reads.sqlite.ts';
import { activityUploadUnits } from './features/activity/activity-upload.sqlite.ts';
import { outboxUnits } from './features/activity/outbox.sqlite.ts';
import { auditUnits } from './features/audit/audit.sqlite.ts';
import { channelUnits } from './features/channels/channels.sqlite.ts';
import { enrollmentUnits } from './features/enrollment/enrollment.sqlite.ts';
import { fileUnits } from './features/files/files.sqlite.ts';
import { heldUnits } from './features/holds/holds.sqlite.ts';
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
import { activityRetentionUnits } from './features/retention/activity-retention.sqlite.ts';
import { retentionUnits } from './features/retention/retention.sqlite.ts';
import { runUnits } from './features/runs/runs.sqlite.ts';
import { searchUnits } from './features/search/search.sqlite.ts';
import { knownDeviceUnits } from './features/sessions/known-devices.sqlite.ts';
import { sessionUnits } from './features/sessions/sessions.sqlite.ts';
import { tokenUnits } from './features/tokens/tokens.sqlite.ts';
import { webPushUnits } from './features/web-push/web-push.sqlite.ts';
import { activityLayout, activityMigrations } from './storage/activity.migrations.ts';
import { mainMigrations } from './storage/main.migrations.ts';
import { identityUnits } from './storage/sqlite/identity.sqlite.ts';
import { runStoreThread, type StoreDefinition } from './storage/store-loop.ts';
import type { ThreadSettings } from './storage/thread-messages.ts';
import { type JoinedUnits, joinUnits } from './storage/units.ts';

const mainAdapters = [
  identityUnits,
  outboxUnits,
  messageUnits,
  missedUnits,
  objectiveUnits,
  channelUnits,
  fileUnits,
  idempotencyUnits,
  tokenUnits,
  memberUnits,
  sessionUnits,
  knownDeviceUnits,
  presenceUnits,
  enrollmentUnits,
  webPushUnits,
  platformConnectUnits,
  searchUnits,
  receiptUnits,
  unreadUnits,
  waitingUnits,
  runUnits,
  heldUnits,
  auditUnits,
  retentionUnits,
] as const;
const activityAdapters = [
  activityUnits,
  activityUploadUnits,
  activityReadUnits,
  activityRetentionUnits,
] as const;

export type MainUnits = JoinedUnits<typeof mainAdapters>;
export type ActivityStoreUnits = JoinedUnits<typeof activityAdapters>;

const definitionByStore: Record<string, StoreDefinition> = {
  main: { migrations: mainMigrations, units: joinUnits(mainAdapters) },
  activity: {
    migrations: activityMigrations,
    layout: activityLayout,
    isBackground: true,
    units: joinUnits(activityAdapters),
  },
};

const settings = workerData as ThreadSettings;
const definition = definitionByStore[settings.store];
if (parentPort === null || definition === undefined)
  throw new Error('store-thread runs as a store thread only');
runStoreThread(parentPort, settings, definition);
