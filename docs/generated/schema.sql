-- Generated from broker/storage/*.migrations.ts.

-- Main store

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
  

  -- Includes the sender, so that counting unread messages never leaves the index, and seq, which orders within a millisecond.
  DROP INDEX message_by_scope;
  CREATE INDEX message_by_scope ON message (scope, ts, seq, sender);
  

  -- For counting the channels that one member created (ADR 0012).
  CREATE INDEX channel_by_creator ON channel (created_by);
  

  -- The run of each member that holds its lease. When it was last renewed is in memory only: a start counts as a renewal.
  CREATE TABLE run_lease (
    member TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    host TEXT NOT NULL,
    agent TEXT NOT NULL,
    pid INTEGER,
    since INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  

  -- The message that a message answers, and whether a runner posted it as the final text of a turn.
  ALTER TABLE message ADD COLUMN in_reply_to TEXT;
  ALTER TABLE message ADD COLUMN auto INTEGER NOT NULL DEFAULT 0;
  

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
  

  -- What opened a session, in plain words, and the address that used it last (ADR 0029).
  ALTER TABLE session ADD COLUMN device TEXT NOT NULL DEFAULT '';
  ALTER TABLE session ADD COLUMN address TEXT NOT NULL DEFAULT '';
  

  -- A subscription ends with the credential that made it. Older rows name none, so nobody can tell when they should have
  -- ended: they are removed, and the console subscribes again at the next visit of that browser.
  DELETE FROM push_subscription;
  ALTER TABLE push_subscription ADD COLUMN credential_id TEXT NOT NULL DEFAULT '';
  ALTER TABLE push_subscription ADD COLUMN plane TEXT NOT NULL DEFAULT '';  -- bearer | session | jwt
  ALTER TABLE push_subscription ADD COLUMN expires_at INTEGER;              -- of a JWT only
  ALTER TABLE push_subscription ADD COLUMN device TEXT NOT NULL DEFAULT '';
  ALTER TABLE push_subscription ADD COLUMN last_success_at INTEGER;
  ALTER TABLE push_subscription ADD COLUMN last_failure_at INTEGER;
  

  -- Of a bound session, the hash of the secret that its page keeps (ADR 0029). Null: it works by its cookie alone.
  ALTER TABLE session ADD COLUMN secret_hash TEXT;
  

  -- Browsers from which a member has logged in (ADR 0030). Only the hash of their cookie is stored.
  CREATE TABLE known_device (
    hash TEXT PRIMARY KEY,
    member TEXT NOT NULL,
    last_used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX known_device_by_member ON known_device (member);
  CREATE INDEX known_device_by_use ON known_device (last_used_at);
  

  -- What each home holds, kept by triggers, so that it cannot differ from the entries. home is the first segment of their paths.
  CREATE TABLE fs_usage (
    home TEXT PRIMARY KEY,
    entries INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO fs_usage (home, entries, bytes)
    SELECT substr(path, 2, instr(substr(path, 2) || '/', '/') - 1), count(*), sum(coalesce(size, 0)) FROM fs_entry GROUP BY 1;
  CREATE TRIGGER fs_usage_of_new AFTER INSERT ON fs_entry BEGIN
    INSERT OR IGNORE INTO fs_usage (home, entries, bytes)
      VALUES (substr(NEW.path, 2, instr(substr(NEW.path, 2) || '/', '/') - 1), 0, 0);
    UPDATE fs_usage SET entries = entries + 1, bytes = bytes + coalesce(NEW.size, 0)
      WHERE home = substr(NEW.path, 2, instr(substr(NEW.path, 2) || '/', '/') - 1);
  END;
  CREATE TRIGGER fs_usage_of_removed AFTER DELETE ON fs_entry BEGIN
    UPDATE fs_usage SET entries = entries - 1, bytes = bytes - coalesce(OLD.size, 0)
      WHERE home = substr(OLD.path, 2, instr(substr(OLD.path, 2) || '/', '/') - 1);
  END;
  CREATE TRIGGER fs_usage_of_changed AFTER UPDATE OF path, size ON fs_entry BEGIN
    UPDATE fs_usage SET entries = entries - 1, bytes = bytes - coalesce(OLD.size, 0)
      WHERE home = substr(OLD.path, 2, instr(substr(OLD.path, 2) || '/', '/') - 1);
    UPDATE fs_usage SET entries = entries + 1, bytes = bytes + coalesce(NEW.size, 0)
      WHERE home = substr(NEW.path, 2, instr(substr(NEW.path, 2) || '/', '/') - 1);
  END;
  

  -- Retention (ADR 0036). A removed message leaves no row that refers to it, and SQLite looks for them by this index.
  CREATE INDEX addressed_by_seq ON addressed (seq);

  -- The newest position from which a message was removed: a cursor before it cannot be honored.
  CREATE TABLE message_floor (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO message_floor (only, seq) VALUES (1, 0);

  -- The bytes of the messages up to a position, counted while a rule limits them.
  CREATE TABLE message_size (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    up_to INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO message_size (only, up_to, bytes) VALUES (1, 0, 0);

  -- What a run removed, by rule, until the audit log has it.
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
  -- Removals in the activity store that the audit log has, until that store forgets them.
  CREATE TABLE recorded_removal (
    run TEXT NOT NULL,
    rule TEXT NOT NULL,
    PRIMARY KEY (run, rule)
  ) STRICT, WITHOUT ROWID;
  

  -- The newest message from somebody else in a conversation, and what is newer than what the member has read: 0 for nothing, 1 for the
  -- member's own messages only, 2 for others' as well. What is unread is found by it without looking at the rest. Triggers keep it,
  -- so that it cannot differ from the positions.
  ALTER TABLE conversation ADD COLUMN last_theirs INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE conversation ADD COLUMN news INTEGER NOT NULL DEFAULT 0;
  UPDATE conversation SET last_theirs = coalesce((SELECT seq FROM message m
    WHERE m.scope = conversation.scope AND seq BETWEEN first_seq AND last_seq AND sender <> member ORDER BY ts DESC, seq DESC LIMIT 1), 0);
  UPDATE conversation SET news = iif(last_theirs > p.seq, 2, last_seq > p.seq) FROM
    (SELECT c.member, c.scope, coalesce(r.seq, 0) AS seq FROM conversation c LEFT JOIN read_position r USING (member, scope)) p
    WHERE p.member = conversation.member AND p.scope = conversation.scope;
  CREATE INDEX conversation_by_newest ON conversation (member, news, last_seq);
  CREATE INDEX read_position_by_time ON read_position (member, at);
  CREATE TRIGGER news_of_new_conversation AFTER INSERT ON conversation BEGIN
    UPDATE conversation SET news = iif(last_theirs > 0, 2, 1) WHERE member = NEW.member AND scope = NEW.scope;
  END;
  CREATE TRIGGER news_of_conversation AFTER UPDATE OF last_seq, last_theirs ON conversation BEGIN
    UPDATE conversation SET news = now.news FROM
      (SELECT iif(NEW.last_theirs > seq, 2, NEW.last_seq > seq) AS news FROM
        (SELECT coalesce((SELECT seq FROM read_position r WHERE r.member = NEW.member AND r.scope = NEW.scope), 0) AS seq)) now
      WHERE member = NEW.member AND scope = NEW.scope AND conversation.news <> now.news;
  END;
  CREATE TRIGGER news_after_first_read AFTER INSERT ON read_position BEGIN
    UPDATE conversation SET news = iif(last_theirs > NEW.seq, 2, last_seq > NEW.seq)
      WHERE member = NEW.member AND scope = NEW.scope AND news <> iif(last_theirs > NEW.seq, 2, last_seq > NEW.seq);
  END;
  CREATE TRIGGER news_after_read AFTER UPDATE OF seq ON read_position BEGIN
    UPDATE conversation SET news = iif(last_theirs > NEW.seq, 2, last_seq > NEW.seq)
      WHERE member = NEW.member AND scope = NEW.scope AND news <> iif(last_theirs > NEW.seq, 2, last_seq > NEW.seq);
  END;
  

  -- The full-text index of messages again, in one column with marks of its own characters: the block of 32,768 positions that a
  -- message is in, so that a search can go through the index block by block, the conversation, and the sender
  -- (features/search/index-marks.rules.ts). What was indexed before is indexed again after the start, the newest first:
  -- message_again says up to which position that is still to be done.
  DROP TABLE message_text;
  CREATE VIEW indexed_message AS SELECT seq,
    coalesce(replace(replace(replace(title, char(0xE000), ' '), char(0xE001), ' '), char(0xE002), ' ') || ' ', '')
    || char(0xE000) || (seq >> 15)
    || ' ' || char(0xE001) || replace(replace(replace(replace(scope, ':', char(0xE010)), '-', char(0xE011)), '.', char(0xE012)), '_', char(0xE013))
    || ' ' || char(0xE002) || replace(replace(replace(sender, '-', char(0xE011)), '.', char(0xE012)), '_', char(0xE013))
    || ' ' || replace(replace(replace(body, char(0xE000), ' '), char(0xE001), ' '), char(0xE002), ' ') AS words FROM message;
  CREATE VIRTUAL TABLE message_words USING fts5 (
    words, content = 'indexed_message', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2'
  );
  INSERT INTO index_progress (what, up_to) SELECT 'message_again', up_to FROM index_progress WHERE what = 'message';
  

  -- What threads share, by path: managers are in every thread.
  CREATE INDEX fs_grant_of_threads ON fs_grant (path) WHERE audience > 'obj:' AND audience < 'obj;';

  -- What a member sent itself does not wait for its runner.
  UPDATE addressed SET taken = 1 WHERE taken = 0
    AND EXISTS (SELECT 1 FROM message WHERE message.seq = addressed.seq AND sender = addressed.member);

  -- What a member started, also of one status: its agent asks for what is open of it.
  CREATE INDEX objective_of_originator ON objective (originator, status, num);
  -- The members as they were last recorded, one row each, so that a change reads and writes its own only.
  CREATE TABLE audited_member (
    name TEXT PRIMARY KEY,
    content TEXT NOT NULL          -- JSON, without secrets
  ) STRICT, WITHOUT ROWID;
  INSERT INTO audited_member (name, content)
    SELECT member.key, member.value FROM audited_configuration, json_each(content, '$.memberByName') AS member;
  UPDATE audited_configuration SET content = json_set(content, '$.memberByName', json('{}'));
  

  -- 1: its thread was granted files. So nobody looks for grants of each thread of a member. An objective is recorded after its first grants.
  ALTER TABLE objective ADD COLUMN shares INTEGER NOT NULL DEFAULT 0;
  UPDATE objective SET shares = 1
    WHERE id IN (SELECT substr(audience, 5) FROM fs_grant WHERE audience > 'obj:' AND audience < 'obj;');
  CREATE INDEX sharing_objective_of_assignee ON objective (assignee) WHERE shares = 1;
  CREATE INDEX sharing_objective_of_originator ON objective (originator) WHERE shares = 1;
  CREATE TRIGGER objective_with_first_grants AFTER INSERT ON objective
    WHEN EXISTS (SELECT 1 FROM fs_grant WHERE audience = 'obj:' || NEW.id) BEGIN
    UPDATE objective SET shares = 1 WHERE num = NEW.num;
  END;
  CREATE TRIGGER objective_shares AFTER INSERT ON fs_grant WHEN NEW.audience > 'obj:' AND NEW.audience < 'obj;' BEGIN
    UPDATE objective SET shares = 1 WHERE id = substr(NEW.audience, 5) AND shares = 0;
  END;
  CREATE TRIGGER objective_shares_no_more AFTER DELETE ON fs_grant
    WHEN OLD.audience > 'obj:' AND OLD.audience < 'obj;'
      AND NOT EXISTS (SELECT 1 FROM fs_grant WHERE audience = OLD.audience) BEGIN
    UPDATE objective SET shares = 0 WHERE id = substr(OLD.audience, 5);
  END;
  

  -- How far the member had read when it marked messages as unread again, until it has read further: receipts never go back. Null otherwise.
  ALTER TABLE read_position ADD COLUMN furthest_seq INTEGER;
  ALTER TABLE read_position ADD COLUMN furthest_at INTEGER;
  

  -- What a member has dealt with, or put off until an instant. The console names the items.
  CREATE TABLE attention_mark (
    member TEXT NOT NULL,
    item TEXT NOT NULL,
    at INTEGER NOT NULL,
    until INTEGER,                 -- epoch ms; null: for good
    PRIMARY KEY (member, item)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attention_mark_by_age ON attention_mark (member, at);
  CREATE INDEX critical_message ON message (level, seq) WHERE level = 'critical';
  

  -- Set if the sender changed the text after it was accepted: 'edited' or 'deleted', and when (epoch ms).
  ALTER TABLE message ADD COLUMN changed TEXT;
  ALTER TABLE message ADD COLUMN changed_at INTEGER;
  

  -- Whether members are people or agents: when a run of the member was first known, and what an operator decided.
  CREATE TABLE member_kind (
    member TEXT PRIMARY KEY,
    ran_at INTEGER,
    kind TEXT                      -- person | agent; null: derived
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO member_kind (member, ran_at)
    SELECT member, since FROM run_lease
    UNION ALL SELECT member, created_at FROM token WHERE origin = 'run'
    UNION ALL SELECT subject, at FROM audit
      WHERE kind = 'token_created' AND subject IS NOT NULL AND json_extract(after, '$.origin') = 'run';
  DELETE FROM member_kind WHERE member IN (SELECT name FROM retired_name);
  

  -- From which address the token was used last; null if it was not used since this is recorded.
  ALTER TABLE token ADD COLUMN last_address TEXT;
  

  -- The position of the notice of the latest change, which has the text of the edit until the next change.
  ALTER TABLE message ADD COLUMN edit_notice INTEGER;
  

  -- The VAPID public key under which the browser subscribed; null if nobody knows it, because the row is older.
  ALTER TABLE push_subscription ADD COLUMN vapid_key TEXT;
  

  -- A message that changes or goes loses its mentions, also those that an earlier rule had found.
  CREATE INDEX mention_of_message ON mention (seq);
  

  -- The full-text indexes again, with a space around each character of scripts that do not separate words, and normalized
  -- (features/search/search-words.rules.ts). Messages are indexed again as above, and objectives from the first one on.
  DROP TABLE message_words;
  DROP VIEW indexed_message;
  DROP TABLE objective_text;
  CREATE VIRTUAL TABLE message_words USING fts5 (
    words, content = '', tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE objective_text USING fts5 (
    title, outcome, body, originator, content = '', tokenize = 'unicode61 remove_diacritics 2'
  );
  UPDATE index_progress SET up_to = (SELECT up_to FROM index_progress WHERE what = 'message') WHERE what = 'message_again';
  UPDATE index_progress SET up_to = 0 WHERE what = 'objective';
  

  -- 1: for everybody outside, except managers, the channel does not exist.
  ALTER TABLE channel ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
  

  -- The id of the token from which the session descends: by a login link, or by an authenticator that the token bound. Null if
  -- there is none, or if the session is older than this column.
  ALTER TABLE session ADD COLUMN token TEXT;
  

  -- What others completed for a member, in the order of completion: a result may be of an old objective.
  CREATE INDEX objective_result ON objective (originator, completed_at) WHERE status = 'done' AND assignee <> originator;

  -- Direct conversations are listed before threads if a member has more of both unread than one answer has.
  CREATE INDEX conversation_direct_by_newest ON conversation (member, news, last_seq) WHERE substr(scope, 1, 3) = 'dm:';
  

  -- When the message was accepted, if its ts is in the future of that time, because the clock had jumped ahead. Null otherwise.
  ALTER TABLE message ADD COLUMN accepted_at INTEGER;
  

  -- The manager who shared the file although only its right let it read the file; null if its owner or a reader shared it.
  ALTER TABLE fs_grant ADD COLUMN shared_by_right TEXT;
  
-- Activity store

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
  

  -- Ranges by time within one kind. A range of all kinds merges four of them.
  CREATE INDEX activity_by_kind ON activity (member, kind, ts);
  -- What a stream of the member has not carried yet; the id is part of every index.
  CREATE INDEX activity_by_arrival ON activity (member);
  CREATE INDEX activity_by_objective ON activity (member, event ->> '$.objectiveId', ts)
    WHERE kind IN ('objective_open', 'objective_close');
  DROP INDEX activity_by_member;
  

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
  

  -- The newest record of the audit log in the main store, as the broker saw it last (ADR 0062).
  CREATE TABLE audit_anchor (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  