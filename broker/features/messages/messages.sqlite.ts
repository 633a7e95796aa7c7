/** Messages in the main store: acceptance and history pages. */
import type Database from 'better-sqlite3';
import type { Leaf } from '#protocol/access.ts';
import type { AuditEntry } from '#protocol/audit.ts';
import type { Message, PushResult } from '#protocol/message.ts';
import type { Reader } from '../../runtime/actor.ts';
import { aheadMs } from '../../runtime/message-stamps.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { attachmentGrants } from '../files/attachment-grants.sqlite.ts';
import { type Author, holds } from '../holds/holds.sqlite.ts';
import { type AnswerKey, keyedAnswers } from '../idempotency/idempotency.sqlite.ts';
import type { ReceiptNews } from '../receipts/receipts.sqlite.ts';
import { replies } from '../receipts/replies.sqlite.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { type MessageChangeRequest, messageChanges } from './message-changes.sqlite.ts';
import {
  type MessageRow,
  messageColumns,
  messageJson,
  type StoredMessage,
  toMessage,
} from './message-row.rules.ts';
import { messageRows } from './message-rows.sqlite.ts';

export interface Acceptance {
  message: MessageRow;
  author: Author;
  /** The sender, as far as it decides what it may read. */
  reader: Reader;
  /** The holders of members.manage. */
  managers: string[];
  to: Addressed;
  /** Set if the request has an Idempotency-Key. */
  answerKey: AnswerKey | null;
  /** Of the answer that is kept under the key: the live connections of the readers. */
  live?: number;
  /** The files that the message shares. */
  attached?: Attached | null;
  /** The message of the sender that changes in the same transaction; this one tells the conversation. */
  change?: MessageChangeRequest;
}

/** The addressees of a message. `targets`: the distinct members, without the sender. */
export type Addressed =
  | { kind: 'everyone'; targets: number }
  /** Each of them gets a row of its own. */
  | { kind: 'members'; members: string[]; targets: number }
  /** `known`: the membership that the caller holds, so that it is returned only if it changed. */
  | { kind: 'channel'; channelId: string; known: { version: number; size: number } | null };

/** The place at which a page of history begins. */
interface Place {
  /** The key of the scope. */
  key: string;
  before: number;
  beforeId: string | null;
  limit: number;
}

export interface HistoryPage {
  /** Messages as JSON in UTF-8, separated by commas. */
  bytes: ArrayBuffer;
  count: number;
  /** The oldest of them, before which the next page ends; null if there are no older ones. */
  last: { ts: number; id: string } | null;
}

export interface Attached {
  paths: string[];
  /** The sender's permissions, which decide what it may attach. */
  permissions: readonly Leaf[];
  /** The audience that may read the files from now on, as grants name it; see `scopes/scope-key.ts`. */
  audience: string;
  /** For files that the sender may read only as a manager. */
  audit?: AuditEntry;
}

/** The members of a channel at one point in the order of acceptance. */
export interface ChannelMembers {
  version: number;
  members: string[];
}

/** The message at its position in the order of acceptance. */
export interface Stored {
  seq: number;
  /** `agent_hops` of the row; everything else is as it was given. */
  hops: number | null;
  channel: ChannelMembers | null;
  answered: ReceiptNews | null;
  /** Present if the acceptance has a change: the message as it is now. */
  changed?: Message;
}

/** `replay`: the JSON of the first answer to the same key. `held`: the id of a post that is held, with the JSON of its answer. */
export type Accepted = Stored | { replay: string } | { held: string; reply: string };

/** A window of history: `older` messages before a place, and `newer` ones from it on. */
interface Window {
  /** The key of the scope. */
  key: string;
  /** The message with this id and what follows is newer; with `isAfter`, only what follows it. It need not exist. */
  id: string;
  isAfter: boolean;
  older: number;
  newer: number;
  /** About so much text on each side, and at least one message if there is one. */
  bytes: number;
}

export interface WindowPage {
  /** Messages as JSON in UTF-8, separated by commas, newest first. */
  bytes: ArrayBuffer;
  hasOlder: boolean;
  hasNewer: boolean;
}

/** `after`: the position that the step before returned; null for the first one. */
interface Correction {
  now: number;
  ms: number;
  after: number | null;
}
const correctedAtOnce = 2000;

const utf8 = new TextEncoder();

/** A position that no message has. */
const beyondAll = { ts: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

export function messageUnits(db: Database.Database) {
  const page = db.prepare<[string, number, number], StoredMessage>(
    `SELECT ${messageColumns} FROM message WHERE scope = ? AND ts < ? ORDER BY ts DESC, seq DESC LIMIT ?`,
  );
  const pageWithin = db.prepare<[string, number, string, number], StoredMessage>(
    `SELECT ${messageColumns} FROM message WHERE scope = ? AND ts = ? AND id < ? ORDER BY seq DESC LIMIT ?`,
  );
  const firstFrom = db.prepare<[string], { seq: number; ts: number }>(
    'SELECT seq, ts FROM message WHERE id >= ? ORDER BY id LIMIT 1',
  );
  const firstAfter = db.prepare<[string], { seq: number; ts: number }>(
    'SELECT seq, ts FROM message WHERE id > ? ORDER BY id LIMIT 1',
  );
  const olderThan = db.prepare<[string, number, number, number], StoredMessage>(
    `SELECT ${messageColumns} FROM message WHERE scope = ? AND (ts, seq) < (?, ?) ORDER BY ts DESC, seq DESC LIMIT ?`,
  );
  const newerFrom = db.prepare<[string, number, number, number], StoredMessage>(
    `SELECT ${messageColumns} FROM message WHERE scope = ? AND (ts, seq) >= (?, ?) ORDER BY ts, seq LIMIT ?`,
  );
  const last = db.prepare<[], { seq: number; ts: number }>(
    'SELECT seq, ts FROM message ORDER BY seq DESC LIMIT 1',
  );
  const upTo = db.prepare<[number], { seq: number; ts: number }>(
    'SELECT seq, ts FROM message WHERE seq <= ? ORDER BY seq DESC LIMIT 1',
  );
  const correctFuture = db.prepare<[{ now: number; ms: number; from: number; to: number }]>(
    `UPDATE message SET accepted_at = min(ts - :ms, :now)
     WHERE seq > :from AND seq <= :to AND accepted_at IS NULL AND ts > :now`,
  );
  const rows = messageRows(db);
  const answers = keyedAnswers(db);
  const files = attachmentGrants(db);
  const scopes = scopeAccess(db);
  const replied = replies(db);
  const { decide } = holds(db);
  const changes = messageChanges(db);

  /** Times increase with positions, so it halves these. */
  function lastUntil(ts: number): { seq: number; ts: number } {
    let [below, above] = [0, (last.get()?.seq ?? 0) + 1];
    let found = { seq: 0, ts: 0 };
    while (above - below > 1) {
      const middle = Math.floor((below + above) / 2);
      const row = upTo.get(middle);
      if (row !== undefined && row.ts > ts) above = row.seq;
      else {
        below = middle;
        found = row ?? found;
      }
    }
    return found;
  }

  function* newestFirst({ key, before, beforeId, limit }: Place): Generator<StoredMessage> {
    if (beforeId !== null) yield* pageWithin.iterate(key, before, beforeId, limit);
    yield* page.iterate(key, before, limit);
  }

  /** Takes the first rows, at most `most` and about `bytes` of text, and tells whether there are more. */
  function taken(
    rows: Iterable<StoredMessage>,
    most: number,
    bytes: number,
  ): { items: string[]; hasMore: boolean } {
    const items: string[] = [];
    let room = bytes;
    for (const row of rows) {
      if (items.length === most || room <= 0) return { items, hasMore: true };
      items.push(messageJson(row));
      room -= row.body.length + row.data.length + row.attachments.length;
    }
    return { items, hasMore: false };
  }

  return {
    reads: {
      /**
       * Returns the newest messages before the place: at most `limit`, and about `bytes` of text.
       * @throws BrokerError not_found, forbidden if the reader is not in the channel or thread at this
       *   moment.
       */
      historyPage: (input: Place & { reader: Reader; bytes: number }): HistoryPage => {
        scopes.admitReader(input.key, input.reader);
        const messages: string[] = [];
        let last: HistoryPage['last'] = null;
        let room = input.bytes;
        for (const row of newestFirst(input)) {
          messages.push(messageJson(row));
          room -= row.body.length + row.data.length + row.attachments.length;
          if (messages.length < input.limit && room > 0) continue;
          last = { ts: row.ts, id: row.id };
          break;
        }
        return { bytes: utf8.encode(messages.join(',')).buffer, count: messages.length, last };
      },
      /** Returns the stored key of the message's conversation. @throws BrokerError if the reader may not change it. */
      changeableScope: (input: Omit<MessageChangeRequest, 'body'> & { reader: Reader }): string =>
        changes.own(input, input.reader).scope,
      /** @throws BrokerError as `historyPage` does. */
      historyWindow: (input: Window & { reader: Reader }): WindowPage => {
        const { key, id, isAfter, older, newer, bytes } = input;
        scopes.admitReader(key, input.reader);
        const { ts, seq } = (isAfter ? firstAfter : firstFrom).get(id) ?? beyondAll;
        const above = taken(newerFrom.iterate(key, ts, seq, newer + 1), newer, bytes);
        const below = taken(olderThan.iterate(key, ts, seq, older + 1), older, bytes);
        const items = [...above.items.reverse(), ...below.items];
        return {
          bytes: utf8.encode(items.join(',')).buffer,
          hasOlder: below.hasMore,
          hasNewer: above.hasMore,
        };
      },
    },
    upkeep: {
      lastAccepted: (): { seq: number; ts: number } => last.get() ?? { seq: 0, ts: 0 },
      /** Returns the time of the newest message up to `ts`; 0 if there is none. */
      lastAcceptedUntil: ({ ts }: { ts: number }): number => lastUntil(ts).ts,
      /**
       * Writes that messages in the future of `now` were accepted so many ms before their `ts`, in steps. Returns the position
       * after which the next step begins; null at the end.
       */
      correctFutureMessages: ({ now, ms, after }: Correction): number | null => {
        const from = after ?? lastUntil(now + aheadMs).seq;
        correctFuture.run({ now, ms, from, to: from + correctedAtOnce });
        return from + correctedAtOnce < (last.get()?.seq ?? 0) ? from + correctedAtOnce : null;
      },
    },
    writes: {
      /** @throws BrokerError not_found, forbidden, gone: about the channel, the answered message, or what is attached. */
      acceptMessage: (acceptance: Acceptance): Accepted => {
        const { reader, author, managers, to, answerKey, attached } = acceptance;
        const replay = answerKey === null ? null : answers.replyTo(answerKey);
        // A repeat by a member for whom the channel does not exist any longer is a post there like any other.
        if (replay !== null && (to.kind !== 'channel' || scopes.knows(acceptance.message.scope, reader)))
          return { replay };
        let channel: ChannelMembers | null = null;
        let targets = to.kind === 'channel' ? 0 : to.targets;
        if (to.kind === 'channel') {
          const version = scopes.admitPost(to.channelId, reader);
          if (to.known?.version !== version)
            channel = { version, members: scopes.channelMembers(to.channelId) };
          targets = (channel?.members.length ?? to.known?.size ?? 1) - 1;
        }
        replied.admit(acceptance.message.in_reply_to, reader);
        if (attached) {
          const { paths, permissions } = attached;
          files.resolve({ name: reader.name, permissions }, paths);
        }
        const { hops, reason } = decide(acceptance.message, reader, author);
        const row: MessageRow = { ...acceptance.message, agent_hops: hops };
        if (reason !== null) {
          const nobody = { live: 0, targets: 0 };
          const message = toMessage(row);
          const result: PushResult = { delivery: nobody, message, held: { id: message.id, reason } };
          const reply = JSON.stringify(result);
          if (answerKey !== null) answers.keep(answerKey, reply);
          return { held: row.id, reply };
        }
        // The notice of a change is no answer.
        const answered = acceptance.change
          ? null
          : replied.answer(row.in_reply_to, reader, row.accepted_at ?? row.ts, managers);
        if (attached) {
          const { paths, audience, permissions, audit = null } = attached;
          const why = {
            audience,
            messageId: row.id,
            objectiveId: null,
            grantedAt: row.accepted_at ?? row.ts,
          };
          files.grant({ name: reader.name, permissions }, paths, why, audit);
        }
        const changed =
          acceptance.change && changes.apply(acceptance.change, reader, row.accepted_at ?? row.ts);
        const seq = rows.insert(row);
        if (acceptance.change) changes.noticed(acceptance.change, seq);
        if (to.kind === 'members') rows.address(seq, row, to.members);
        if (answerKey !== null) {
          const { live = 0 } = acceptance;
          const result: PushResult = { delivery: { live, targets }, message: toMessage(row) };
          answers.keep(answerKey, JSON.stringify(result));
        }
        return { seq, hops, channel, answered, ...(changed && { changed }) };
      },
    },
    fromJson: ['acceptMessage'],
  };
}
export type MessageUnits = AsyncUnits<typeof messageUnits>;
