/**
 * What a member missed: a merge of indexed range reads, one per scope with the member's stays in it, and the
 * rows addressed to the member (specification/streams.md#resuming).
 */
import type Database from 'better-sqlite3';
import type { Message } from '#protocol/message.ts';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { isNotice } from '../scopes/scope-access.rules.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { messageColumns, type StoredMessage, toMessage } from './message-rows.sqlite.ts';

export interface SequencedMessage {
  seq: number;
  message: Message;
}

export interface Missed {
  /** Oldest first. */
  messages: SequencedMessage[];
  /** The positions of messages that were for the reader and no longer are. */
  withheld: number[];
  /** There is nothing more. */
  isLast: boolean;
  /** Messages up to this position were removed (specification/retention.md#streams). */
  floor: number;
}

const end = Number.MAX_SAFE_INTEGER;

export function missedUnits(db: Database.Database) {
  const tsAt = db
    .prepare<[number], number>('SELECT ts FROM message WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const inScope = db
    .prepare<[string, number, number, number, number, number], number>(
      'SELECT seq FROM message WHERE scope = ? AND ts >= ? AND ts <= ? AND seq > ? AND seq <= ? ORDER BY ts, seq LIMIT ?',
    )
    .pluck();
  const addressed = db
    .prepare<[string, number, number, number], number>(
      'SELECT seq FROM addressed WHERE member = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
    )
    .pluck();
  const bySeq = db.prepare<[number], StoredMessage>(`SELECT ${messageColumns} FROM message WHERE seq = ?`);
  const floorOf = db.prepare<[], number>('SELECT seq FROM message_floor WHERE only = 1').pluck();
  const scopes = scopeAccess(db);

  /**
   * Returns the first `limit` positions after `after`. Each source is read only up to the last position that
   * can still be among them.
   */
  function placesAfter(reader: Reader, after: number, limit: number): number[] {
    const tsBySeq = new Map<number, number>();
    // ts never decreases with seq, and the index is ordered by ts, which limits the read range on both sides.
    function tsOf(seq: number): number {
      if (seq >= end) return end;
      const ts = tsBySeq.get(seq) ?? tsAt.get(seq) ?? 0;
      tsBySeq.set(seq, ts);
      return ts;
    }
    let places = addressed.all(reader.name, after, end, limit);
    let bound = places.length < limit ? end : (places.at(-1) ?? end);
    function trim(): void {
      places = places.sort((a, b) => a - b).slice(0, limit);
      if (places.length === limit) bound = places.at(-1) ?? end;
    }
    for (const { scope, from, to } of scopes.rangesOf(reader.name, after, limit)) {
      const first = Math.max(after, from);
      const last = Math.min(to, bound);
      if (last <= first) continue;
      places.push(...inScope.all(scope, tsOf(first), tsOf(last), first, last, limit));
      if (places.length >= 2 * limit || (bound === end && places.length >= limit)) trim();
    }
    trim();
    return places;
  }

  return {
    reads: {
      /**
       * Returns what the reader may read that was accepted after `after`: a page of at most `limit` messages
       * and about `bytes` of text.
       */
      missedBy: (input: { reader: Reader; after: number; limit: number; bytes: number }): Missed => {
        const messages: SequencedMessage[] = [];
        const withheld: number[] = [];
        const isReadable = scopes.readableBy(input.reader);
        const floor = floorOf.get() ?? 0;
        let room = input.bytes;
        for (let after = input.after; ; ) {
          const wanted = input.limit - messages.length;
          const places = placesAfter(input.reader, after, wanted);
          for (const seq of places) {
            const row = bySeq.get(seq);
            if (row === undefined) continue;
            const message = toMessage(row);
            if (!isNotice(message.data) && !isReadable(row.scope)) {
              withheld.push(seq);
              continue;
            }
            messages.push({ seq, message });
            room -= row.body.length;
            if (room <= 0) return { messages, withheld, isLast: false, floor };
          }
          if (places.length < wanted) return { messages, withheld, isLast: true, floor };
          if (messages.length >= input.limit) return { messages, withheld, isLast: false, floor };
          after = places.at(-1) ?? after;
        }
      },
    },
    writes: {},
  };
}
export type MissedUnits = AsyncUnits<typeof missedUnits>;
