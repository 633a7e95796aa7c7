/** The rows of a member in a range of time, newest first by (ts, id) (specification/activity.md#query). */
import type Database from 'better-sqlite3';
import { limits } from '#protocol/limits.ts';
import { type Marker, type Span, spansNewestFirst } from './objective-spans.rules.ts';

export interface RangeInput {
  member: string;
  kinds: readonly string[];
  /** Inclusive, by `ts`. */
  from: number;
  to: number;
  limit: number;
  /** Restricts to what happened while the member had this objective open; null for all. */
  objective: string | null;
}

interface Found {
  id: number;
  ts: number;
}

/** Yields the first `count` items and then closes their source. */
function* first<T>(items: Iterable<T>, count: number): Generator<T> {
  let given = 0;
  for (const item of items) {
    if (given++ === count) return;
    yield item;
  }
}

/** Returns the ids of at most `limit` rows. */
export function rangeIds(db: Database.Database): (input: RangeInput) => number[] {
  const { spans: spansMax } = limits.activity;
  const ofKind = db.prepare<RangeInput & { kind: string }, Found>(
    `SELECT id, ts FROM activity WHERE member = :member AND kind = :kind AND ts BETWEEN :from AND :to
     ORDER BY ts DESC, id DESC LIMIT :limit`,
  );
  const markersUpTo = db.prepare<[string, string | null, number], Marker>(
    `SELECT ts, kind FROM activity
     WHERE kind IN ('objective_open', 'objective_close') AND member = ? AND event ->> '$.objectiveId' = ? AND ts <= ?
     ORDER BY ts DESC, id DESC`,
  );
  const firstMarkerAfter = db.prepare<[string, string | null, number], Marker>(
    `SELECT ts, kind FROM activity
     WHERE kind IN ('objective_open', 'objective_close') AND member = ? AND event ->> '$.objectiveId' = ? AND ts > ?
     ORDER BY ts, id LIMIT 1`,
  );
  function* spansOf(input: RangeInput): Iterable<Span> {
    const { member, objective, from, to } = input;
    if (objective === null) yield { from, to };
    else {
      const next = firstMarkerAfter.get(member, objective, to);
      yield* spansNewestFirst(markersUpTo.iterate(member, objective, to), next, { from, to });
    }
  }

  /** Newest first. Each kind has its own run of the index, and a span yields at most `limit` of each. */
  function idsIn(input: RangeInput): number[] {
    const ids: number[] = [];
    for (const span of first(spansOf(input), spansMax)) {
      const limit = input.limit - ids.length;
      const found = input.kinds.flatMap((kind) => ofKind.all({ ...input, ...span, limit, kind }));
      found.sort((a, b) => b.ts - a.ts || b.id - a.id);
      ids.push(...found.slice(0, limit).map(({ id }) => id));
      if (ids.length === input.limit) break;
    }
    return ids;
  }

  return idsIn;
}
