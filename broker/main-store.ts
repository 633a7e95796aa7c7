/**
 * The main store: its units of work by name, and its migrations. Only its threads load it; the serving thread imports the type that is
 * inferred from the list.
 */
import { outboxUnits } from './features/activity/outbox.sqlite.ts';
import { attentionUnits } from './features/attention/attention.sqlite.ts';
import { auditUnits } from './features/audit/audit.sqlite.ts';
import { channelUnits } from './features/channels/channels.sqlite.ts';
import { enrollmentUnits } from './features/enrollment/enrollment.sqlite.ts';
import { fileUnits } from './features/files/files.sqlite.ts';
import { heldUnits } from './features/holds/holds.sqlite.ts';
import { idempotencyUnits } from './features/idempotency/idempotency.sqlite.ts';
import { kindUnits } from './features/kinds/kinds.sqlite.ts';
import { memberUnits } from './features/members/members.sqlite.ts';
import { messageUnits } from './features/messages/messages.sqlite.ts';
import { missedUnits } from './features/messages/missed.sqlite.ts';
import { objectiveUnits } from './features/objectives/objectives.sqlite.ts';
import { platformConnectUnits } from './features/platform-connect/platform-connect.sqlite.ts';
import { presenceUnits } from './features/presence/presence.sqlite.ts';
import { receiptUnits } from './features/receipts/receipts.sqlite.ts';
import { unreadUnits } from './features/receipts/unread.sqlite.ts';
import { waitingUnits } from './features/receipts/waiting.sqlite.ts';
import { retentionUnits } from './features/retention/retention.sqlite.ts';
import { runUnits } from './features/runs/runs.sqlite.ts';
import { searchUnits } from './features/search/search.sqlite.ts';
import { indexUnits } from './features/search/search-index.sqlite.ts';
import { knownDeviceUnits } from './features/sessions/known-devices.sqlite.ts';
import { sessionUnits } from './features/sessions/sessions.sqlite.ts';
import { tokenUnits } from './features/tokens/tokens.sqlite.ts';
import { webPushUnits } from './features/web-push/web-push.sqlite.ts';
import { mainMigrations } from './storage/main.migrations.ts';
import { identityUnits } from './storage/sqlite/identity.sqlite.ts';
import type { StoreDefinition } from './storage/store-loop.ts';
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
  indexUnits,
  receiptUnits,
  unreadUnits,
  waitingUnits,
  attentionUnits,
  kindUnits,
  runUnits,
  heldUnits,
  auditUnits,
  retentionUnits,
] as const;
export type MainUnits = JoinedUnits<typeof mainAdapters>;

export const definition: StoreDefinition = { migrations: mainMigrations, units: joinUnits(mainAdapters) };
