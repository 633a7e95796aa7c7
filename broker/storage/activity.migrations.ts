import type { FileLayout } from './sqlite/open-database.ts';

/**
 * Events are a few KiB long: on pages of 4 KiB most rows fill one or overflow, and the file is almost twice as
 * large (ADR 0041). Stores of earlier versions keep their pages.
 */
export const activityLayout: FileLayout = { canShrink: true, pageBytes: 16 * 1024 };

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
    source TEXT                    -- outbox key of a row that the broker wrote itself; null for uploads
  ) STRICT;
  CREATE INDEX activity_by_member ON activity (member, ts);
  CREATE UNIQUE INDEX activity_by_source ON activity (source) WHERE source IS NOT NULL;
  `,
  `
  -- Ranges by time within one kind. A range of all kinds merges four of them.
  CREATE INDEX activity_by_kind ON activity (member, kind, ts);
  -- What a stream of the member has not carried yet; the id is part of every index.
  CREATE INDEX activity_by_arrival ON activity (member);
  CREATE INDEX activity_by_objective ON activity (member, event ->> '$.objectiveId', ts)
    WHERE kind IN ('objective_open', 'objective_close');
  DROP INDEX activity_by_member;
  `,
  `
  -- Sums that remain after their rows are pruned (ADR 0010). day: its start in UTC, epoch ms; model: '' for none.
  CREATE TABLE usage (
    member TEXT NOT NULL,
    day INTEGER NOT NULL,
    model TEXT NOT NULL,
    exchanges INTEGER NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_creation INTEGER NOT NULL,
    PRIMARY KEY (member, day, model)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usage_by_day ON usage (day, member, model);

  -- Adds the existing rows as activity-usage.sqlite.ts adds new ones. It selects narrow rows first, because grouping would carry the
  -- events along.
  CREATE TEMP TABLE exchange AS
    SELECT member, ts - ts % 86400000 AS day, substr(coalesce(event ->> '$.entry.model', ''), 1, 128) AS model,
      event ->> '$.entry.response.usage.inputTokens' AS input,
      event ->> '$.entry.response.usage.outputTokens' AS output,
      event ->> '$.entry.response.usage.cacheReadInputTokens' AS cache_read,
      event ->> '$.entry.response.usage.cacheCreationInputTokens' AS cache_creation
    FROM activity WHERE kind = 'llm_exchange';
  CREATE TEMP TABLE kept_model AS
    SELECT member, day, model FROM (
      SELECT member, day, model, row_number() OVER (PARTITION BY member, day ORDER BY count(*) DESC, model) AS place
      FROM exchange WHERE model <> '' GROUP BY member, day, model
    ) WHERE place <= 16;
  -- total() never overflows; 2^53 - 1 is the largest number that JSON carries exactly.
  INSERT INTO usage
    SELECT member, day, iif((member, day, model) IN (SELECT member, day, model FROM kept_model), model, '') AS kept, count(*),
      CAST(min(total(input), 9007199254740991) AS INTEGER),
      CAST(min(total(output), 9007199254740991) AS INTEGER),
      CAST(min(total(cache_read), 9007199254740991) AS INTEGER),
      CAST(min(total(cache_creation), 9007199254740991) AS INTEGER)
    FROM exchange GROUP BY member, day, kept;
  DROP TABLE temp.kept_model;
  DROP TABLE temp.exchange;
  `,
  `
  -- What long requests have in common is stored once (ADR 0025). A piece is a system prompt, a list of tools, or a message after the
  -- messages before it: a conversation is a chain, and each request names the last message that it carried.
  CREATE TABLE piece (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,     -- of the member, the kind of piece, and every text up to this one
    previous INTEGER,              -- the piece before it; null for the first
    text TEXT NOT NULL             -- JSON
  ) STRICT;
  CREATE INDEX piece_by_previous ON piece (previous) WHERE previous IS NOT NULL;
  CREATE TABLE split_request (
    id INTEGER PRIMARY KEY,        -- of the row in activity
    place INTEGER NOT NULL,        -- where in the bytes of its event the three belong
    system INTEGER,
    tools INTEGER,
    messages INTEGER               -- the last one
  ) STRICT;
  CREATE INDEX split_request_by_system ON split_request (system) WHERE system IS NOT NULL;
  CREATE INDEX split_request_by_tools ON split_request (tools) WHERE tools IS NOT NULL;
  CREATE INDEX split_request_by_messages ON split_request (messages) WHERE messages IS NOT NULL;
  -- Pieces that lost a reference. Pruning deletes those that nothing refers to any more.
  CREATE TABLE loose_piece (id INTEGER PRIMARY KEY) STRICT;
  CREATE TRIGGER request_pieces_come_loose AFTER DELETE ON activity BEGIN
    INSERT OR IGNORE INTO loose_piece SELECT system FROM split_request WHERE id = OLD.id AND system IS NOT NULL;
    INSERT OR IGNORE INTO loose_piece SELECT tools FROM split_request WHERE id = OLD.id AND tools IS NOT NULL;
    INSERT OR IGNORE INTO loose_piece SELECT messages FROM split_request WHERE id = OLD.id AND messages IS NOT NULL;
    DELETE FROM split_request WHERE id = OLD.id;
  END;
  `,
  `
  -- Retention (ADR 0036). The newest row that was removed: rows of held members may remain before it.
  CREATE TABLE activity_floor (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    id INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO activity_floor (only, id) VALUES (1, 0);
  CREATE TRIGGER activity_floor_rises AFTER DELETE ON activity
    WHEN OLD.id > (SELECT id FROM activity_floor WHERE only = 1)
    BEGIN UPDATE activity_floor SET id = OLD.id WHERE only = 1; END;
  -- As in the main store.
  CREATE TABLE removal (
    run TEXT NOT NULL,
    rule TEXT NOT NULL,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    oldest_at INTEGER NOT NULL,
    newest_at INTEGER NOT NULL,
    up_to INTEGER NOT NULL,
    PRIMARY KEY (run, rule)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What failed: no answer came, or one that is an error. Rows of the team by their arrival, also of one kind.
  ALTER TABLE activity ADD COLUMN failed INTEGER GENERATED ALWAYS AS (
    CASE kind
      WHEN 'opaque_http' THEN coalesce(event ->> '$.entry.status', 599) >= 400
      WHEN 'llm_exchange' THEN coalesce(json_type(event, '$.entry.response'), 'null') = 'null'
        OR json_type(event, '$.entry.response.error') IS NOT NULL
        OR (json_type(event, '$.entry.response.status') = 'integer' AND event ->> '$.entry.response.status' >= 400)
        OR event ->> '$.entry.response.status' IN ('failed', 'error')
      ELSE 0
    END
  ) VIRTUAL;
  CREATE INDEX activity_of_kind ON activity (kind);
  CREATE INDEX activity_of_member_and_kind ON activity (member, kind);
  CREATE INDEX failure ON activity (kind) WHERE failed = 1;
  CREATE INDEX failure_of_member ON activity (member, kind) WHERE failed = 1;
  `,
  `
  -- The newest record of the audit log in the main store, as the broker saw it last (ADR 0062).
  CREATE TABLE audit_anchor (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];
