/**
 * The known facts about messages in transit, in the main store: positions for what was delivered and read, and
 * rows only for the evidence of agents' runners (specification/receipts.md#states).
 */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import type { Evidence, Receipt } from '#protocol/receipt.ts';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { type StoredAddress, scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { scopeNameOf } from '../scopes/scope-key.ts';
import { type Carried, gapsIn, maxRangesPerMember, type Range } from './delivered-news.rules.ts';
import { evidenceRows } from './evidence-rows.sqlite.ts';
import { type Known, strongest } from './receipts.rules.ts';

/** The subject of a receipt, its author, and who may know. */
export interface ReceiptNews {
  sender: string;
  messageId: string;
  /** The sender, and the managers who may read the message. */
  audience: string[];
}

type Target = StoredAddress & { id: string };

/** Returns what to announce about a message of which more is known now; `managers`: null if nobody else learns of it. */
export function receiptNews(
  scopes: Pick<ReturnType<typeof scopeAccess>, 'managersIn' | 'knows'>,
  { id, sender, scope }: Target,
  managers: readonly string[] | null,
): ReceiptNews {
  if (managers === null) return { sender, messageId: id, audience: [] };
  // The sender may have been removed from a private channel.
  const authors = scopes.knows(scope, { name: sender, isManager: managers.includes(sender) }) ? [sender] : [];
  return {
    sender,
    messageId: id,
    audience: [...new Set([...authors, ...scopes.managersIn(scope, managers)])],
  };
}

export function receiptUnits(db: Database.Database) {
  const byId = db.prepare<[string], Target>(
    'SELECT seq, id, ts, sender, recipient, scope FROM message WHERE id = ?',
  );
  const position = db.prepare<[string, string], { seq: number; at: number }>(
    'SELECT coalesce(furthest_seq, seq) AS seq, coalesce(furthest_at, at) AS at FROM read_position WHERE member = ? AND scope = ?',
  );
  const setPosition = db.prepare<[string, string, number, string, number]>(
    `INSERT INTO read_position (member, scope, seq, message_id, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (member, scope) DO UPDATE SET seq = excluded.seq, message_id = excluded.message_id, at = excluded.at,
       furthest_seq = iif(excluded.seq > furthest_seq, NULL, furthest_seq),
       furthest_at = iif(excluded.seq > furthest_seq, NULL, furthest_at)
     WHERE excluded.seq > read_position.seq`,
  );
  const setBack = db.prepare<[number, string, number, string, string, number]>(
    `UPDATE read_position SET seq = ?, message_id = ?, at = ?,
       furthest_seq = coalesce(furthest_seq, seq), furthest_at = coalesce(furthest_at, at)
     WHERE member = ? AND scope = ? AND seq >= ?`,
  );
  const before = db.prepare<[string, number, number], { seq: number; id: string }>(
    'SELECT seq, id FROM message WHERE scope = ? AND (ts, seq) < (?, ?) ORDER BY ts DESC, seq DESC LIMIT 1',
  );
  const evidence = evidenceRows(db);
  const rangeAt = db.prepare<[string, number], Range>(
    'SELECT from_seq AS "from", to_seq AS "to" FROM delivered WHERE member = ? AND from_seq < ? ORDER BY from_seq DESC LIMIT 1',
  );
  const rangeUpTo = db.prepare<[string, number], Range>(
    'SELECT from_seq AS "from", to_seq AS "to" FROM delivered WHERE member = ? AND from_seq <= ? ORDER BY from_seq DESC LIMIT 1',
  );
  const extendRange = db.prepare<[number, string, number]>(
    'UPDATE delivered SET to_seq = ? WHERE member = ? AND from_seq = ?',
  );
  const removeRange = db.prepare<[string, number]>('DELETE FROM delivered WHERE member = ? AND from_seq = ?');
  const addRange = db.prepare<[string, number, number]>(
    'INSERT INTO delivered (member, from_seq, to_seq) VALUES (?, ?, ?)',
  );
  const oldest = db
    .prepare<[string, number], number>(
      'SELECT from_seq FROM delivered WHERE member = ? ORDER BY from_seq DESC LIMIT 1 OFFSET ?',
    )
    .pluck();
  const removeUpTo = db.prepare<[string, number]>('DELETE FROM delivered WHERE member = ? AND from_seq <= ?');
  const scopes = scopeAccess(db);

  /**
   * Nothing is known about an earlier stay in a channel, because a stream that resumed after it skipped its
   * messages.
   */
  function isDelivered(member: string, { seq, scope }: Target): boolean {
    const presentSince = scopes.presentSince(scope, member);
    if (presentSince === null || presentSince >= seq) return false;
    const range = rangeAt.get(member, seq);
    return range !== undefined && range.to >= seq;
  }

  function knownTo(caller: Reader, id: string): Target {
    const message = byId.get(id);
    const isOwn = message?.sender === caller.name && scopes.knows(message.scope, caller);
    if (!isOwn && !caller.isManager) refuse('receipts_not_yours');
    return message ?? refuse('unknown_message');
  }

  /** @throws BrokerError not_found for a message that the reader cannot read, bad_request for one of another scope. */
  function readableIn(scope: string, id: string, reader: Reader): Target {
    const message = byId.get(id);
    if (message === undefined || !scopes.mayRead(message.scope, reader)) return refuse('unknown_message');
    if (message.scope !== scope)
      refuse('message_of_another_scope', { scope: scopeNameOf(message.scope, reader.name) });
    return message;
  }

  function receiptOf(message: Target, member: string): Receipt {
    const { seq, scope, ts } = message;
    const read = position.get(member, scope);
    const isRead = read !== undefined && read.seq >= seq;
    const delivered: Known | null = isDelivered(member, message) ? { state: 'delivered', at: null } : null;
    // If a later message was read, the time at which this one was read is not known.
    const readHere: Known | null = isRead ? { state: 'read', at: read.seq === seq ? read.at : null } : null;
    return { member, ...strongest(ts, [delivered, readHere, evidence.of(seq, member)]) };
  }

  function keepDelivered({ member, from, to }: Carried): Carried[] {
    // Ranges of one member do not overlap, so those that touch this one are adjacent below its end.
    let held = rangeUpTo.get(member, to);
    // As long as a stream lasts, each of its ranges continues the one before.
    if (held !== undefined && held.from <= from && held.to >= from) {
      if (held.to < to) extendRange.run(to, member, held.from);
      return gapsIn({ member, from, to }, [held]);
    }
    let range: Range = { from, to };
    const merged: Range[] = [];
    while (held !== undefined && held.to >= range.from) {
      range = { from: Math.min(held.from, range.from), to: Math.max(held.to, range.to) };
      merged.push(held);
      removeRange.run(member, held.from);
      held = rangeUpTo.get(member, to);
    }
    addRange.run(member, range.from, range.to);
    const tooOld = oldest.get(member, maxRangesPerMember);
    if (tooOld !== undefined) removeUpTo.run(member, tooOld);
    return gapsIn({ member, from, to }, merged);
  }

  return {
    reads: {
      /**
       * Returns those who can have received the message: names, or null for everybody. @throws BrokerError forbidden unless the caller sent it
       * or is a manager, whether it exists or not; not_found.
       */
      candidatesOf: (input: { id: string; caller: Reader }): string[] | null =>
        scopes.candidatesOf(knownTo(input.caller, input.id)),
      /** One per recipient among the members. @throws BrokerError as `candidatesOf` does. */
      receiptsOf: (input: { id: string; caller: Reader; members: string[] }): Receipt[] => {
        const message = knownTo(input.caller, input.id);
        return input.members
          .filter((name) => scopes.wasFor(message, name))
          .map((name) => receiptOf(message, name));
      },
    },
    writes: {
      /** @throws BrokerError not_found, bad_request. */
      keepRead: (input: {
        reader: Reader;
        scope: string;
        upTo: string;
        at: number;
        managers: string[];
      }): ReceiptNews | null => {
        const message = readableIn(input.scope, input.upTo, input.reader);
        const { name } = input.reader;
        const wasRead = (position.get(name, message.scope)?.seq ?? 0) >= message.seq;
        const { changes } = setPosition.run(name, message.scope, message.seq, message.id, input.at);
        if (changes === 0) return null;
        // Reading again what was marked as unread is news for the reader's other screens only.
        return receiptNews(scopes, message, wasRead ? null : input.managers);
      },
      /**
       * Returns null if the message was unread already; otherwise the news for the reader's other screens. @throws BrokerError
       * not_found, bad_request.
       */
      keepUnread: (input: {
        reader: Reader;
        scope: string;
        from: string;
        at: number;
      }): ReceiptNews | null => {
        const message = readableIn(input.scope, input.from, input.reader);
        const { seq, id } = before.get(message.scope, message.ts, message.seq) ?? { seq: 0, id: '' };
        const { name } = input.reader;
        const { changes } = setBack.run(seq, id, input.at, name, message.scope, message.seq);
        return changes === 0 ? null : receiptNews(scopes, message, null);
      },
      /**
       * Evidence that is weaker than the known one changes nothing. @throws BrokerError forbidden for anybody
       * who is not a recipient, whether the message exists or not.
       */
      keepEvidence: (input: {
        id: string;
        reader: Reader;
        state: Evidence;
        at: number;
        managers: string[];
      }): ReceiptNews | null => {
        const { id, reader, state, at, managers } = input;
        const message = byId.get(id);
        if (message === undefined || !scopes.wasFor(message, reader.name)) return refuse('not_a_recipient');
        if (!evidence.keep(message, reader.name, state, at)) return null;
        return receiptNews(scopes, message, managers);
      },
      /** Returns the parts that were not delivered before. */
      keepDelivered: (ranges: readonly Carried[]): Carried[] => ranges.flatMap(keepDelivered),
    },
  };
}
export type ReceiptUnits = AsyncUnits<typeof receiptUnits>;
