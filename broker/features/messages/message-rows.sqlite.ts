/** Messages as rows, for adapters inside their own transaction. */
import type Database from 'better-sqlite3';
import type { Level, Message } from '#protocol/message.ts';

/** A message as it is stored; `data` and `attachments` are JSON text. */
export interface MessageRow {
  id: string;
  ts: number;
  sender: string;
  recipient: string | null;
  /** The stored key of the conversation; see `scopes/scope-key.ts`. */
  scope: string;
  title: string | null;
  body: string;
  level: string;
  data: string;
  attachments: string;
  /** The id of the message that it answers. */
  in_reply_to: string | null;
  auto: 0 | 1;
  /** As in `holds/hold.rules.ts`; null if no agent wrote it. */
  agent_hops: number | null;
  /** The change that its sender made to its text after it was accepted, and its time; absent in a new message. */
  changed?: 'edited' | 'deleted' | null;
  changed_at?: number | null;
}

export type StoredMessage = MessageRow & { seq: number };

export const messageColumns =
  'seq, id, ts, sender, recipient, scope, title, body, level, data, attachments, in_reply_to, auto, agent_hops, changed, changed_at';

export function toMessage(row: MessageRow): Message {
  return {
    id: row.id as Message['id'],
    ts: row.ts,
    from: row.sender,
    to: row.recipient,
    title: row.title,
    body: row.body,
    level: row.level as Level,
    data: JSON.parse(row.data),
    attachments: JSON.parse(row.attachments),
    ...(row.in_reply_to !== null && { inReplyTo: row.in_reply_to as Message['id'] }),
    ...(row.auto === 1 && { auto: true }),
    ...(row.agent_hops !== null && { agent: { hops: row.agent_hops } }),
    ...(row.changed && { [row.changed]: { at: row.changed_at } }),
  };
}

/** Returns the JSON of `toMessage(row)`; what is stored as JSON is not parsed again. */
export function messageJson(row: MessageRow): string {
  const { id, ts, sender, recipient, title, body, level, data, attachments, in_reply_to, agent_hops } = row;
  const names = `"from":${JSON.stringify(sender)},"to":${JSON.stringify(recipient)}`;
  const text = `"title":${JSON.stringify(title)},"body":${JSON.stringify(body)},"level":"${level}"`;
  const reply = in_reply_to === null ? '' : `,"inReplyTo":"${in_reply_to}"`;
  const auto = row.auto === 1 ? ',"auto":true' : '';
  const agent = agent_hops === null ? '' : `,"agent":{"hops":${agent_hops}}`;
  const change = row.changed ? `,"${row.changed}":{"at":${row.changed_at}}` : '';
  return `{"id":"${id}","ts":${ts},${names},${text},"data":${data},"attachments":${attachments}${reply}${auto}${agent}${change}}`;
}

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
    ]
  >(
    `INSERT INTO message (id, ts, sender, recipient, scope, title, body, level, data, attachments, in_reply_to, auto, agent_hops) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
      );
      return Number(lastInsertRowid);
    },
    /**
     * Adds a row for each of these members, by which a resumed stream finds the message; for direct messages
     * and threads. What a member sent itself does not wait for its runner.
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
