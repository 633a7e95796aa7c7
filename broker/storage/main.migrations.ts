import { firstMainMigrations } from './first-main.migrations.ts';

/**
 * The main store's schema, one entry per step. A released entry is never edited; `user_version` counts the
 * applied ones.
 */
export const mainMigrations: readonly string[] = [
  ...firstMainMigrations,
  `
  -- A subscription ends with the credential that made it. Older rows name none, so nobody can tell when they should have
  -- ended: they are removed, and the console subscribes again at the next visit of that browser.
  DELETE FROM push_subscription;
  ALTER TABLE push_subscription ADD COLUMN credential_id TEXT NOT NULL DEFAULT '';
  ALTER TABLE push_subscription ADD COLUMN plane TEXT NOT NULL DEFAULT '';  -- bearer | session | jwt
  ALTER TABLE push_subscription ADD COLUMN expires_at INTEGER;              -- of a JWT only
  ALTER TABLE push_subscription ADD COLUMN device TEXT NOT NULL DEFAULT '';
  ALTER TABLE push_subscription ADD COLUMN last_success_at INTEGER;
  ALTER TABLE push_subscription ADD COLUMN last_failure_at INTEGER;
  `,
  `
  -- Of a bound session, the hash of the secret that its page keeps (ADR 0029). Null: it works by its cookie alone.
  ALTER TABLE session ADD COLUMN secret_hash TEXT;
  `,
  `
  -- Browsers from which a member has logged in (ADR 0030). Only the hash of their cookie is stored.
  CREATE TABLE known_device (
    hash TEXT PRIMARY KEY,
    member TEXT NOT NULL,
    last_used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX known_device_by_member ON known_device (member);
  CREATE INDEX known_device_by_use ON known_device (last_used_at);
  `,
  `
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
  `,
  `
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
  `,
  `
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
  `,
  `
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
  `,
  `
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
  `,
  `
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
  `,
  `
  -- How far the member had read when it marked messages as unread again, until it has read further: receipts never go back. Null otherwise.
  ALTER TABLE read_position ADD COLUMN furthest_seq INTEGER;
  ALTER TABLE read_position ADD COLUMN furthest_at INTEGER;
  `,
  `
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
  `,
  `
  -- Set if the sender changed the text after it was accepted: 'edited' or 'deleted', and when (epoch ms).
  ALTER TABLE message ADD COLUMN changed TEXT;
  ALTER TABLE message ADD COLUMN changed_at INTEGER;
  `,
  `
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
  `,
  `
  -- From which address the token was used last; null if it was not used since this is recorded.
  ALTER TABLE token ADD COLUMN last_address TEXT;
  `,
  `
  -- The position of the notice of the latest change, which has the text of the edit until the next change.
  ALTER TABLE message ADD COLUMN edit_notice INTEGER;
  `,
  `
  -- The VAPID public key under which the browser subscribed; null if nobody knows it, because the row is older.
  ALTER TABLE push_subscription ADD COLUMN vapid_key TEXT;
  `,
  `
  -- A message that changes or goes loses its mentions, also those that an earlier rule had found.
  CREATE INDEX mention_of_message ON mention (seq);
  `,
  `
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
  `,
  `
  -- 1: for everybody outside, except managers, the channel does not exist.
  ALTER TABLE channel ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The id of the token from which the session descends: by a login link, or by an authenticator that the token bound. Null if
  -- there is none, or if the session is older than this column.
  ALTER TABLE session ADD COLUMN token TEXT;
  `,
  `
  -- What others completed for a member, in the order of completion: a result may be of an old objective.
  CREATE INDEX objective_result ON objective (originator, completed_at) WHERE status = 'done' AND assignee <> originator;

  -- Direct conversations are listed before threads if a member has more of both unread than one answer has.
  CREATE INDEX conversation_direct_by_newest ON conversation (member, news, last_seq) WHERE substr(scope, 1, 3) = 'dm:';
  `,
  `
  -- When the message was accepted, if its ts is in the future of that time, because the clock had jumped ahead. Null otherwise.
  ALTER TABLE message ADD COLUMN accepted_at INTEGER;
  `,
  `
  -- The manager who shared the file although only its right let it read the file; null if its owner or a reader shared it.
  ALTER TABLE fs_grant ADD COLUMN shared_by_right TEXT;
  `,
];
