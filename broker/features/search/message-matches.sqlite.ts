/**
 * Matches of a search in the index of messages, newest first, in steps of a bounded cost: the index compares all places of the words
 * until something matches, and of common words it may be nothing.
 */
import type Database from 'better-sqlite3';
import { whenNeeded } from '#platform/when-needed.ts';
import { blockMark, blockStart, scopeMark, senderMark } from './index-marks.rules.ts';
import { allOf, type Phrase } from './search.rules.ts';

export interface MatchRequest {
  phrases: readonly Phrase[];
  /** The stored key of the only scope; null for all. */
  scope: string | null;
  /** Null for all senders. */
  from: string | null;
  /** Below this position. */
  before: number;
}

export type Step =
  | { kind: 'match'; place: number }
  /** Nothing below `place` was looked at yet. */
  | { kind: 'pause'; place: number };

/** A word is rare if fewer messages have it: looking at each of them takes less than a step. */
const rare = 500;

export function messageMatches(db: Database.Database) {
  const newest = db.prepare<[], number>('SELECT seq FROM message ORDER BY seq DESC LIMIT 1').pluck();
  const oldest = db.prepare<[], number>('SELECT seq FROM message ORDER BY seq LIMIT 1').pluck();
  const matches = whenNeeded(() =>
    db
      .prepare<[string, number, number], number>(
        'SELECT rowid FROM message_words WHERE message_words MATCH ? AND rowid < ? AND rowid >= ? ORDER BY rowid DESC',
      )
      .pluck(),
  );
  const countUpTo = whenNeeded(() =>
    db
      .prepare<[string, number], number>(
        'SELECT count(*) FROM (SELECT 1 FROM message_words WHERE message_words MATCH ? LIMIT ?)',
      )
      .pluck(),
  );

  const hasRareWord = (words: readonly string[]): boolean =>
    [...new Set(words)].some((word) => (countUpTo().get(allOf([[word]]), rare) ?? 0) < rare);

  function* matchesIn(phrases: readonly Phrase[], before: number, from: number): Generator<Step> {
    for (const place of matches().iterate(allOf(phrases), before, from)) yield { kind: 'match', place };
  }

  return {
    *newestFirst({ phrases, scope, from, before }: MatchRequest): Generator<Step> {
      const marks = [
        ...(scope === null ? [] : [scopeMark(scope)]),
        ...(from === null ? [] : [senderMark(from)]),
      ];
      const wanted = [...marks.map((mark) => [mark]), ...phrases];
      const first = oldest.get() ?? 0;
      let end = Math.min(before, (newest.get() ?? 0) + 1);
      let isAsked = false;
      while (end > first) {
        const start = blockStart(end - 1);
        yield* matchesIn([[blockMark(start)], ...wanted], end, start);
        end = start;
        if (end > first) yield { kind: 'pause', place: end };
        if (!isAsked && hasRareWord(wanted.flat())) {
          yield* matchesIn(wanted, end, first);
          return;
        }
        isAsked = true;
      }
    },
  };
}
