/**
 * The activity store: its units of work by name, and its migrations. Only its threads load it; the serving thread imports the type that is
 * inferred from the list.
 */
import { activityUnits } from './features/activity/activity.sqlite.ts';
import { activityReadUnits } from './features/activity/activity-reads.sqlite.ts';
import { activitySummaryUnits } from './features/activity/activity-summaries.sqlite.ts';
import { activityUploadUnits } from './features/activity/activity-upload.sqlite.ts';
import { auditAnchorUnits } from './features/audit/audit-anchor.sqlite.ts';
import { activityRetentionUnits } from './features/retention/activity-retention.sqlite.ts';
import { activityLayout, activityMigrations } from './storage/activity.migrations.ts';
import type { StoreDefinition } from './storage/store-loop.ts';
import { type JoinedUnits, joinUnits } from './storage/units.ts';

const activityAdapters = [
  activityUnits,
  activityUploadUnits,
  activityReadUnits,
  activitySummaryUnits,
  activityRetentionUnits,
  auditAnchorUnits,
] as const;

export type ActivityStoreUnits = JoinedUnits<typeof activityAdapters>;

export const definition: StoreDefinition = {
  migrations: activityMigrations,
  layout: activityLayout,
  isBackground: true,
  units: joinUnits(activityAdapters),
};
