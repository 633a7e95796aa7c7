/** The oldest steps of the main store's schema; see main.migrations.ts. */
export const firstMainMigrations: readonly string[] = [
  `
  -- Names the store in cursors, so that a cursor of another store is recognized.
  CREATE TABLE store_identity (id TEXT NOT NULL) STRICT;

  -- seq is the store-wide order of acceptance; ts and id increase with it.
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

  -- Only direct messages and notices have rows per recipient.
  CREATE TABLE addressed (
    member TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES message (seq),
    PRIMARY KEY (member, seq)
  ) STRICT, WITHOUT ROWID;

  -- The first response to each Idempotency-Key, as JSON.
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

  -- The facts about a member that are not in the configuration file.
  CREATE TABLE member_state (
    member TEXT PRIMARY KEY,
    last_seen INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What must reach the activity store: written with the change, applied there once under its source key, then removed.
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    payload TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Sessions of the console. Only the hash of a cookie is stored. id identifies the session whose streams must end.
  CREATE TABLE session (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    member TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX session_by_member ON session (member);
  CREATE INDEX session_by_expiry ON session (expires_at);

  -- Set while a rotation replaces this token with another one, until the configuration names that one.
  ALTER TABLE token ADD COLUMN replaced_by TEXT;
  CREATE INDEX token_by_member ON token (member);

  -- The last TOTP step that each member used, because a code is accepted only once.
  CREATE TABLE totp_step (
    member TEXT PRIMARY KEY,
    step INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The names of removed members are never used again. folded is the name without regard to case. settled_at is null while
  -- the removal is in progress; the configuration then says whether it happened.
  CREATE TABLE retired_name (
    folded TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    retired_at INTEGER NOT NULL,
    retired_by TEXT NOT NULL,
    settled_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX retired_name_unsettled ON retired_name (settled_at) WHERE settled_at IS NULL;

  -- Device enrollments. sealed_token is the bearer token, encrypted with the KEK, from approval until delivery.
  CREATE TABLE enrollment (
    id TEXT PRIMARY KEY,
    device_hash TEXT NOT NULL UNIQUE,
    user_code TEXT NOT NULL,
    status TEXT NOT NULL,          -- pending | approving | approved | rejected | expired
    label_hint TEXT,
    source_ip TEXT,
    user_agent TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    interval_ms INTEGER NOT NULL,
    polled_at INTEGER,
    decided_at INTEGER,
    decided_by TEXT,
    reason TEXT,
    member TEXT,
    token_id TEXT,
    sealed_token TEXT,
    delivered_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX enrollment_by_pending_code ON enrollment (user_code) WHERE status = 'pending';
  CREATE INDEX enrollment_by_code ON enrollment (user_code, created_at);
  CREATE INDEX enrollment_by_status ON enrollment (status, expires_at);
  CREATE INDEX enrollment_by_decision ON enrollment (decided_at) WHERE decided_at IS NOT NULL;
  CREATE INDEX enrollment_undelivered ON enrollment (expires_at) WHERE sealed_token IS NOT NULL;

  CREATE TABLE push_subscription (
    id TEXT PRIMARY KEY,
    member TEXT NOT NULL,
    endpoint TEXT NOT NULL UNIQUE,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX push_subscription_by_member ON push_subscription (member);

  -- Platform pairings. The code itself is not stored.
  CREATE TABLE pairing (
    code_hash TEXT PRIMARY KEY,
    member TEXT NOT NULL,
    bound_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Files and directories; a directory has no hash. The rows with a hash are the references to its blob.
  CREATE TABLE fs_entry (
    path TEXT PRIMARY KEY,
    parent TEXT NOT NULL,
    size INTEGER,
    mime_type TEXT,
    hash TEXT,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX fs_entry_by_parent ON fs_entry (parent, path);
  CREATE INDEX fs_entry_by_hash ON fs_entry (hash) WHERE hash IS NOT NULL;

  -- Who may read a file besides its owner and managers: to:<member>, or all in a scope, now and later: general | chan:<id> | obj:<id>.
  CREATE TABLE fs_grant (
    audience TEXT NOT NULL,
    path TEXT NOT NULL REFERENCES fs_entry (path) ON UPDATE CASCADE ON DELETE CASCADE,
    message_id TEXT,               -- the first attachment that created it
    objective_id TEXT,
    granted_at INTEGER NOT NULL,
    PRIMARY KEY (audience, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX fs_grant_by_path ON fs_grant (path, audience);
  `,
  `
  -- The store's first start. Null in a store that is older than this column, until its next start.
  ALTER TABLE store_identity ADD COLUMN created_at INTEGER;

  -- Channels; general has no row. version counts the changes of members, so that a stale copy elsewhere is recognized.
  CREATE TABLE channel (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    archived_at INTEGER,
    version INTEGER NOT NULL DEFAULT 1,
    member_count INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE channel_member (
    channel_id TEXT NOT NULL REFERENCES channel (id),
    member TEXT NOT NULL,
    role TEXT NOT NULL,            -- admin | member
    joined_at INTEGER NOT NULL,
    joined_seq INTEGER NOT NULL,   -- the newest message of the store when it joined
    position INTEGER NOT NULL,     -- the channel's version when it joined: the order of joining
    PRIMARY KEY (channel_id, member)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX channel_member_in_order ON channel_member (channel_id, role, position);
  CREATE INDEX channel_member_by_member ON channel_member (member, channel_id);

  -- Earlier stays of members: the messages after from_seq and up to to_seq were accepted while the member was in the channel. A stay
  -- without messages has no row; to_seq is the last message.
  CREATE TABLE channel_stay (
    channel_id TEXT NOT NULL REFERENCES channel (id),
    member TEXT NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq INTEGER NOT NULL,
    PRIMARY KEY (member, channel_id, to_seq)
  ) STRICT, WITHOUT ROWID;

  -- When each member of the team joined general: at its creation, or at the first start that found it in the configuration.
  CREATE TABLE general_member (
    member TEXT PRIMARY KEY,
    joined_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Objectives. num is the order of creation.
  CREATE TABLE objective (
    num INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    outcome TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL,          -- active | blocked | done | cancelled
    assignee TEXT NOT NULL,
    originator TEXT NOT NULL,
    block_reason TEXT,
    result TEXT,
    attachments TEXT NOT NULL,     -- JSON
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    completed_at INTEGER
  ) STRICT;
  CREATE INDEX objective_by_assignee ON objective (assignee, status, num);
  CREATE INDEX objective_of_assignee ON objective (assignee, num);
  CREATE INDEX objective_by_status ON objective (status, num);
  CREATE INDEX objective_by_originator ON objective (originator, num);

  -- In the order in which they were added.
  CREATE TABLE objective_watcher (
    num INTEGER NOT NULL REFERENCES objective (num),
    position INTEGER NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY (num, position)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX objective_watcher_by_member ON objective_watcher (member, num);

  -- The audit log: rows are added, never changed.
  CREATE TABLE objective_event (
    num INTEGER NOT NULL REFERENCES objective (num),
    seq INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,         -- JSON
    PRIMARY KEY (num, seq)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The full-text index, filled after the reply; it contains no copy of the text. index_progress says how far it is filled.
  CREATE VIRTUAL TABLE message_text USING fts5 (
    title, body, scope, sender, content = 'message', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE objective_text USING fts5 (
    title, outcome, body, originator, content = 'objective', content_rowid = 'num', tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE TABLE index_progress (
    what TEXT PRIMARY KEY,         -- message | objective
    up_to INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO index_progress (what, up_to) VALUES ('message', 0), ('objective', 0);

  -- Members that a message mentions by @name, written with the index. taken: a runner reported evidence for it.
  CREATE TABLE mention (
    member TEXT NOT NULL,
    scope TEXT NOT NULL,
    seq INTEGER NOT NULL,
    taken INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (member, scope, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX mention_waiting ON mention (member, seq) WHERE taken = 0;
  ALTER TABLE addressed ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX addressed_waiting ON addressed (member, seq) WHERE taken = 0;

  -- Direct conversations and threads with messages addressed to a member: the first and the last such message.
  CREATE TABLE conversation (
    member TEXT NOT NULL,
    scope TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    PRIMARY KEY (member, scope)
  ) STRICT, WITHOUT ROWID;

  -- How far a member has read each conversation: one position, not one row per message.
  CREATE TABLE read_position (
    member TEXT NOT NULL,
    scope TEXT NOT NULL,
    seq INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (member, scope)
  ) STRICT, WITHOUT ROWID;

  -- The member's live streams carried everything addressed to it after from_seq and up to to_seq.
  CREATE TABLE delivered (
    member TEXT NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq INTEGER NOT NULL,
    PRIMARY KEY (member, from_seq)
  ) STRICT, WITHOUT ROWID;

  -- Evidence that runners reported: the strongest per message and member.
  CREATE TABLE evidence (
    seq INTEGER NOT NULL REFERENCES message (seq),
    member TEXT NOT NULL,
    state TEXT NOT NULL,           -- accepted | in_context | answered
    at INTEGER NOT NULL,
    PRIMARY KEY (seq, member)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Includes the sender, so that counting unread messages never leaves the index, and seq, which orders within a millisecond.
  DROP INDEX message_by_scope;
  CREATE INDEX message_by_scope ON message (scope, ts, seq, sender);
  `,
  `
  -- For counting the channels that one member created (ADR 0012).
  CREATE INDEX channel_by_creator ON channel (created_by);
  `,
  `
  -- The run of each member that holds its lease. When it was last renewed is in memory only: a start counts as a renewal.
  CREATE TABLE run_lease (
    member TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    host TEXT NOT NULL,
    agent TEXT NOT NULL,
    pid INTEGER,
    since INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The message that a message answers, and whether a runner posted it as the final text of a turn.
  ALTER TABLE message ADD COLUMN in_reply_to TEXT;
  ALTER TABLE message ADD COLUMN auto INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Posts by agents since a person wrote, this one included; 0 once a person released it, null if no agent wrote it (ADR 0024).
  ALTER TABLE message ADD COLUMN agent_hops INTEGER;

  -- Posts of agents that wait for a person, in the order in which they were held. post is a message row as JSON.
  CREATE TABLE held (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    sender TEXT NOT NULL,
    scope TEXT NOT NULL,
    reason TEXT NOT NULL,          -- hops | rate
    post TEXT NOT NULL
  ) STRICT;
  CREATE INDEX held_by_sender ON held (sender, scope, seq);
  `,
  `
  -- The audit log (ADR 0033): records are added, never changed, and removed only from the oldest on, up to audit_floor.
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    via TEXT NOT NULL,             -- request | host | file
    member TEXT,
    plane TEXT,
    credential TEXT,
    address TEXT,
    subject TEXT,
    before TEXT,                   -- JSON
    after TEXT,                    -- JSON
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;

  -- The last record that was removed; the chain begins after it.
  CREATE TABLE audit_floor (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO audit_floor (only, seq, hash) VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'records of the audit log are not changed'); END;
  CREATE TRIGGER audit_keeps_its_end BEFORE DELETE ON audit WHEN OLD.seq > (SELECT seq FROM audit_floor)
    BEGIN SELECT RAISE(ABORT, 'records of the audit log are removed only up to its floor'); END;

  -- The configuration as it was last recorded, to find changes that no request made.
  CREATE TABLE audited_configuration (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    content TEXT NOT NULL          -- JSON, without secrets
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What opened a session, in plain words, and the address that used it last (ADR 0029).
  ALTER TABLE session ADD COLUMN device TEXT NOT NULL DEFAULT '';
  ALTER TABLE session ADD COLUMN address TEXT NOT NULL DEFAULT '';
  `,
];
