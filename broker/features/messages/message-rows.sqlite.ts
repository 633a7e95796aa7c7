/** Messages as rows, for adapters inside their own transaction. */
import type Database from 'better-sqlite3';
import type { MessageRow } from './message-row.rules.ts';

export { type MessageRow, messageColumns, type StoredMessage, toMessage } from './message-row.rules.ts';

export function messageRows(db: Database.Database) {
  const insert = db.prepare<
    [
      string,
      number,
      string,
      string | null,
      string,
      string | null,
      string,
      string,
      string,
      string,
      string | null,
      number,
      number | null,
      number | null,
    ]
  >(
    `INSERT INTO message (id, ts, sender, recipient, scope, title, body, level, data, attachments, in_reply_to, auto, agent_hops, accepted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertAddressed = db.prepare<[string, number, 0 | 1]>(
    'INSERT INTO addressed (member, seq, taken) VALUES (?, ?, ?)',
  );
  const touchOwn = db.prepare<[string, string, number, number]>(
    `INSERT INTO conversation (member, scope, first_seq, last_seq) VALUES (?, ?, ?, ?)
     ON CONFLICT (member, scope) DO UPDATE SET last_seq = excluded.last_seq`,
  );
  const touch = db.prepare<[string, string, number, number, number]>(
    `INSERT INTO conversation (member, scope, first_seq, last_seq, last_theirs) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (member, scope) DO UPDATE SET last_seq = excluded.last_seq, last_theirs = excluded.last_theirs`,
  );
  return {
    /** Returns the position in the order of acceptance. */
    insert(m: MessageRow): number {
      const { lastInsertRowid } = insert.run(
        m.id,
        m.ts,
        m.sender,
        m.recipient,
        m.scope,
        m.title,
        m.body,
        m.level,
        m.data,
        m.attachments,
        m.in_reply_to,
        m.auto,
        m.agent_hops,
        m.accepted_at ?? null,
      );
      return Number(lastInsertRowid);
    },
    /**
     * Adds a row for each of these members, by which a resumed stream finds the message; for direct messages
     * and threads. A message that a member sent itself does not wait for its runner.
     */
    address(
      seq: number,
      { scope, sender }: Pick<MessageRow, 'scope' | 'sender'>,
      members: readonly string[],
    ): void {
      for (const member of members) {
        const isOwn = member === sender;
        insertAddressed.run(member, seq, isOwn ? 1 : 0);
        if (isOwn) touchOwn.run(member, scope, seq, seq);
        else touch.run(member, scope, seq, seq, seq);
      }
    },
  };
}
