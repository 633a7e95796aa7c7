/** The main store's schema, one entry per step. An entry is never edited once released; `user_version` counts the ones applied. */
export const mainMigrations: readonly string[] = [
  `
  -- Names the store in cursors, so that a cursor of another store is recognised.
  CREATE TABLE store_identity (id TEXT NOT NULL) STRICT;

  -- seq is the store-wide order of acceptance; ts and id increase with it (D5).
  CREATE TABLE message (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    ts INTEGER NOT NULL,
    sender TEXT NOT NULL,
    recipient TEXT,
    scope TEXT NOT NULL,           -- general | chan:<id> | obj:<id> | dm:<a>:<b>
    title TEXT,
    body TEXT NOT NULL,
    level TEXT NOT NULL,
    data TEXT NOT NULL,
    attachments TEXT NOT NULL
  ) STRICT;
  CREATE INDEX message_by_scope ON message (scope, ts);

  -- Rows per recipient exist only for direct messages and notices (architecture, "Delivery").
  CREATE TABLE addressed (
    member TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES message (seq),
    PRIMARY KEY (member, seq)
  ) STRICT, WITHOUT ROWID;

  -- First answers by Idempotency-Key, as JSON (D5).
  CREATE TABLE idempotency (
    member TEXT NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    reply TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (member, operation, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_age ON idempotency (created_at);

  CREATE TABLE token (
    id TEXT PRIMARY KEY,
    member TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,     -- sha256:<hex>; never the plaintext
    label TEXT NOT NULL,
    origin TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT,
    last_used_at INTEGER,
    expires_at INTEGER
  ) STRICT, WITHOUT ROWID;

  -- What the configuration file does not hold of a member.
  CREATE TABLE member_state (
    member TEXT PRIMARY KEY,
    last_seen INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What must reach the activity store: written with the change, applied there once by its source key, then removed.
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    payload TEXT NOT NULL
  ) STRICT;
  `,
];
