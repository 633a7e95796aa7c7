/** The activity store's schema, one entry per step; see main.migrations.ts. */
export const activityMigrations: readonly string[] = [
  `
  CREATE TABLE activity (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    member TEXT NOT NULL,
    ts INTEGER NOT NULL,
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    event TEXT NOT NULL,
    source TEXT                    -- outbox key of a row the broker wrote itself; null for uploads
  ) STRICT;
  CREATE INDEX activity_by_member ON activity (member, ts);
  CREATE UNIQUE INDEX activity_by_source ON activity (source) WHERE source IS NOT NULL;
  `,
  `
  -- Ranges by time, of one kind each: of all kinds, four of them are merged.
  CREATE INDEX activity_by_kind ON activity (member, kind, ts);
  -- What a stream of the member has not seen; the id is part of every index.
  CREATE INDEX activity_by_arrival ON activity (member);
  CREATE INDEX activity_by_objective ON activity (member, event ->> '$.objectiveId', ts)
    WHERE kind IN ('objective_open', 'objective_close');
  DROP INDEX activity_by_member;
  `,
];
