/**
 * Removes one message with everything that refers to it, for units inside their own transaction: the full-text index, mentions,
 * addresses, conversations, and evidence (specification/retention.md#what-is-removed).
 */
import type Database from 'better-sqlite3';
import { unindexing } from '../search/unindexing.sqlite.ts';

export interface RemovableMessage {
  seq: number;
  ts: number;
  sender: string;
  recipient: string | null;
  /** Stored key. */
  scope: string;
  /** The size with which it is counted. */
  bytes: number;
}

export function messageRemoval(db: Database.Database) {
  const unindex = unindexing(db);
  const removeAddresses = db
    .prepare<[number], string>('DELETE FROM addressed WHERE seq = ? RETURNING member')
    .pluck();
  const removeEvidence = db.prepare<[number]>('DELETE FROM evidence WHERE seq = ?');
  const removeMessage = db.prepare<[number]>('DELETE FROM message WHERE seq = ?');
  const endsWith = db
    .prepare<[string, string, number], number>(
      'SELECT 1 FROM conversation WHERE member = ? AND scope = ? AND last_seq = ?',
    )
    .pluck();
  const lastAddressed = db
    .prepare<[string, string, number, number], number>(
      `SELECT m.seq FROM message m CROSS JOIN addressed a ON a.member = ? AND a.seq = m.seq
       WHERE m.scope = ? AND m.ts <= ? AND m.seq < ? ORDER BY m.ts DESC, m.seq DESC LIMIT 1`,
    )
    .pluck();
  const shorten = db.prepare<[number, string, string]>(
    'UPDATE conversation SET last_seq = ? WHERE member = ? AND scope = ?',
  );
  const endTheirsEarlier = db.prepare<[number, number, string, string, number]>(
    `UPDATE conversation SET last_theirs = coalesce((SELECT m.seq FROM message m
       WHERE m.scope = conversation.scope AND m.ts <= ? AND m.seq < ? AND m.seq >= first_seq AND sender <> member
       ORDER BY m.ts DESC, m.seq DESC LIMIT 1), 0)
     WHERE member = ? AND scope = ? AND last_theirs = ?`,
  );
  const removeConversation = db.prepare<[string, string]>(
    'DELETE FROM conversation WHERE member = ? AND scope = ?',
  );
  const uncount = db.prepare<[number, number]>(
    'UPDATE message_size SET bytes = bytes - ? WHERE only = 1 AND up_to >= ?',
  );
  const raiseFloor = db.prepare<[number, number]>(
    'UPDATE message_floor SET seq = ? WHERE only = 1 AND seq < ?',
  );

  /** A conversation ends with its last message for the member. It is forgotten with the last one of all. */
  function endEarlier(member: string, { scope, ts, seq }: RemovableMessage): void {
    endTheirsEarlier.run(ts, seq, member, scope, seq);
    if (endsWith.get(member, scope, seq) === undefined) return;
    const last = lastAddressed.get(member, scope, ts, seq);
    if (last === undefined) removeConversation.run(member, scope);
    else shorten.run(last, member, scope);
  }

  return (message: RemovableMessage): void => {
    const { seq, sender, scope, bytes } = message;
    unindex({ seq, sender, scope });
    const addressed = removeAddresses.all(seq);
    removeEvidence.run(seq);
    for (const member of addressed) endEarlier(member, message);
    removeMessage.run(seq);
    uncount.run(bytes, seq);
    raiseFloor.run(seq, seq);
  };
}
