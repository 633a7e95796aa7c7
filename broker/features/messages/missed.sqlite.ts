/**
 * The messages that members missed: for each member, a merge of indexed range reads, one per scope with the member's
 * stays in it, and the rows addressed to the member (specification/streams.md#resuming).
 */
import type Database from 'better-sqlite3';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { isNotice } from '../scopes/scope-access.rules.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { messageColumns, messageJson, type StoredMessage } from './message-row.rules.ts';

/** A reader, and the position after which it missed something. */
export interface Missing {
  reader: Reader;
  after: number;
}

export interface MissedRequest {
  readers: readonly Missing[];
  /** At most so many messages for one reader, and about so many characters of bodies for all of them. */
  limit: number;
  characters: number;
}

/** The messages that one reader missed. */
export interface Missed {
  /** Its place among the pages. */
  page: number;
  /** The positions of messages that were for the reader and no longer are. */
  withheld: number[];
  /** There is nothing more. */
  isLast: boolean;
}

/** The messages that several readers missed: a message, or a page, of several readers is included once. */
export interface MissedPages {
  messages: { seq: number; json: string }[];
  /** Places among the messages, oldest first. */
  pages: number[][];
  /** Of the first readers of the request, at least of one. */
  missed: Missed[];
  /** Messages up to this position were removed (specification/retention.md#streams). */
  floor: number;
}

/** How many messages a read looks at for several readers, in limits of one reader. */
const maxShared = 2;

/** Positions that are looked at for posts in channels, in limits of one reader or in numbers of channels, and how that grows. */
const firstRange = 4;
const rangeGrowth = 4;

interface ReadMessage {
  row: StoredMessage;
  isNotice: boolean;
  /** Among the messages of the answer; null until a reader gets it. */
  place: number | null;
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
  const newest = db.prepare<[], number>('SELECT seq FROM message ORDER BY seq DESC LIMIT 1').pluck();
  const scopes = scopeAccess(db);

  /**
   * Returns the first `limit` positions after `after`. Each source is read only up to the last position that
   * can still be among them: the channels in growing ranges, because nobody knows where their next posts are.
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
    const channelCount = scopes.channelCountOf(reader.name);
    const last = channelCount === 0 ? 0 : (newest.get() ?? 0);
    let width = firstRange * Math.max(limit, channelCount);
    for (let from = after; from < Math.min(last, bound); width *= rangeGrowth) {
      const to = Math.min(from + width, last, bound);
      places.push(...scopes.presentPositions(reader.name, from, to, channelCount));
      trim();
      from = to;
    }
    return places;
  }

  function readMessage(seq: number): ReadMessage | undefined {
    const row = bySeq.get(seq);
    return row && { row, isNotice: isNotice(JSON.parse(row.data)), place: null };
  }

  return {
    reads: {
      /**
       * Returns what the readers may read that was accepted after their positions: one page for each of the
       * first ones. The others ask again, so that nobody else waits long for this read.
       */
      missedBy: ({ readers, limit, characters }: MissedRequest): MissedPages => {
        const messages: MissedPages['messages'] = [];
        const messageBySeq = new Map<number, ReadMessage>();
        const pages: number[][] = [];
        const pageByPlaces = new Map<string, number>();
        let room = characters;
        let count = 0;

        function placeOf(message: ReadMessage): number {
          const { row } = message;
          if (message.place === null) {
            message.place = messages.push({ seq: row.seq, json: messageJson(row) }) - 1;
            messageBySeq.set(row.seq, message);
            room -= row.body.length;
          }
          return message.place;
        }

        function pageOf(places: number[]): number {
          const key = places.join();
          const page = pageByPlaces.get(key) ?? pages.push(places) - 1;
          pageByPlaces.set(key, page);
          return page;
        }

        function missedOf({ reader, after: start }: Missing): Missed {
          const places: number[] = [];
          const withheld: number[] = [];
          const isReadable = scopes.readableBy(reader);
          const answer = (isLast: boolean): Missed => ({ page: pageOf(places), withheld, isLast });
          for (let after = start; ; ) {
            const wanted = limit - places.length;
            const found = placesAfter(reader, after, wanted);
            for (const seq of found) {
              const message = messageBySeq.get(seq) ?? readMessage(seq);
              if (message === undefined) continue;
              if (!message.isNotice && !isReadable(message.row.scope)) {
                withheld.push(seq);
                continue;
              }
              places.push(placeOf(message));
              if (room <= 0) return answer(false);
            }
            if (found.length < wanted) return answer(true);
            if (places.length >= limit) return answer(false);
            after = found.at(-1) ?? after;
          }
        }

        const missed: Missed[] = [];
        for (const one of readers) {
          const answer = missedOf(one);
          missed.push(answer);
          count += pages[answer.page]?.length ?? 0;
          if (room <= 0 || count >= maxShared * limit) break;
        }
        return { messages, pages, missed, floor: floorOf.get() ?? 0 };
      },
    },
    writes: {},
  };
}
export type MissedUnits = AsyncUnits<typeof missedUnits>;
