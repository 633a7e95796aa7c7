/** Messages in the main store: acceptance, history pages, and what a member missed. */
import type Database from 'better-sqlite3';
import type { Leaf } from '#protocol/access.ts';
import type { Level, Message, PushResult } from '#protocol/message.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { attachmentGrants } from '../files/attachment-grants.sqlite.ts';
import { type AnswerKey, keyedAnswers } from '../idempotency/idempotency.sqlite.ts';

/** A message as it is stored; `data` and `attachments` are JSON text. */
export interface MessageRow {
  id: string;
  ts: number;
  sender: string;
  recipient: string | null;
  scope: string;
  title: string | null;
  body: string;
  level: string;
  data: string;
  attachments: string;
}

export interface Acceptance {
  message: MessageRow;
  /** Members who get a row of their own: both sides of a direct message; empty for channels. */
  addressed: string[];
  /** Members the message is for, the sender not counted. */
  targets: number;
  /** Set when the request came with an Idempotency-Key. */
  answerKey: AnswerKey | null;
  /** Files the message shares. */
  attached?: Attached | null;
}

export interface Attached {
  paths: string[];
  /** The sender's, which decide what it may attach. */
  permissions: readonly Leaf[];
  /** Who may read the files from now on: `to:<member>`, or the scope of the message. */
  audience: string;
}

/** The place in the order of acceptance, or the JSON of the first answer to the same key. */
export type Accepted = { seq: number } | { replay: string };

export interface SequencedMessage {
  seq: number;
  message: Message;
}

type StoredMessage = MessageRow & { seq: number };

function toMessage(row: StoredMessage): Message {
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
  };
}

const columns = 'seq, id, ts, sender, recipient, scope, title, body, level, data, attachments';

export function messageUnits(db: Database.Database) {
  const insert = db.prepare<
    [string, number, string, string | null, string, string | null, string, string, string, string]
  >(
    `INSERT INTO message (id, ts, sender, recipient, scope, title, body, level, data, attachments) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertAddressed = db.prepare<[string, number]>('INSERT INTO addressed (member, seq) VALUES (?, ?)');
  const page = db.prepare<[string, number, number], StoredMessage>(
    `SELECT ${columns} FROM message WHERE scope = ? AND ts < ? ORDER BY ts DESC, seq DESC LIMIT ?`,
  );
  const pageWithin = db.prepare<[string, number, string, number], StoredMessage>(
    `SELECT ${columns} FROM message WHERE scope = ? AND ts = ? AND id < ? ORDER BY seq DESC LIMIT ?`,
  );
  const last = db.prepare<[], { seq: number; ts: number }>(
    'SELECT seq, ts FROM message ORDER BY seq DESC LIMIT 1',
  );
  const tsAt = db.prepare<[number], { ts: number }>(
    'SELECT ts FROM message WHERE seq <= ? ORDER BY seq DESC LIMIT 1',
  );
  const missedInScope = db.prepare<[string, number, number, number], StoredMessage>(
    `SELECT ${columns} FROM message WHERE scope = ? AND ts >= ? AND seq > ? ORDER BY ts, seq LIMIT ?`,
  );
  const missedAddressed = db.prepare<[string, number, number], StoredMessage>(
    `SELECT ${columns} FROM addressed JOIN message USING (seq) WHERE addressed.member = ? AND addressed.seq > ? ORDER BY addressed.seq LIMIT ?`,
  );
  const answers = keyedAnswers(db);
  const files = attachmentGrants(db);

  /** Everything of one list after the other, in the order of acceptance. */
  const merged = (lists: StoredMessage[][], limit: number) =>
    lists
      .flat()
      .sort((a, b) => a.seq - b.seq)
      .slice(0, limit)
      .map((row): SequencedMessage => ({ seq: row.seq, message: toMessage(row) }));

  return {
    reads: {
      historyPage: (input: {
        scope: string;
        before: number;
        beforeId: string | null;
        limit: number;
      }): Message[] => {
        const tied =
          input.beforeId === null
            ? []
            : pageWithin.all(input.scope, input.before, input.beforeId, input.limit);
        const rest =
          tied.length < input.limit ? page.all(input.scope, input.before, input.limit - tied.length) : [];
        return [...tied, ...rest].map(toMessage);
      },
      /** What `member` may read that was accepted after `after`, oldest first, at most `limit`. */
      missedBy: (input: { member: string; after: number; limit: number }): SequencedMessage[] => {
        const ts = tsAt.get(input.after)?.ts ?? 0;
        const general = missedInScope.all('general', ts, input.after, input.limit);
        const addressed = missedAddressed.all(input.member, input.after, input.limit);
        return merged([general, addressed], input.limit);
      },
      lastAccepted: (): { seq: number; ts: number } => last.get() ?? { seq: 0, ts: 0 },
    },
    writes: {
      acceptMessage: ({ message: m, addressed, targets, answerKey, attached }: Acceptance): Accepted => {
        const replay = answerKey === null ? null : answers.take(answerKey);
        if (replay !== null) return { replay };
        if (attached) {
          const { paths, permissions, audience } = attached;
          files.resolve({ name: m.sender, permissions }, paths);
          files.grant(paths, { audience, messageId: m.id, objectiveId: null, grantedAt: m.ts });
        }
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
        );
        const seq = Number(lastInsertRowid);
        for (const member of addressed) insertAddressed.run(member, seq);
        if (answerKey !== null) {
          const result: PushResult = { delivery: { live: 0, targets }, message: toMessage({ ...m, seq }) };
          answers.keep(answerKey, JSON.stringify(result));
        }
        return { seq };
      },
    },
  };
}
export type MessageUnits = AsyncUnits<typeof messageUnits>;
