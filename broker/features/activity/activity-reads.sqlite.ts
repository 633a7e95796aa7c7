/** Reads activity: ranges by time, and what a stream has missed. The bytes are ready to be sent. */
import type Database from 'better-sqlite3';
import { limits } from '#protocol/limits.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { type FramesPage, framesPage, type RowsPage, rowsPage, type StoredRow } from './activity-pages.ts';
import { usageReads } from './activity-usage.sqlite.ts';
import { type Marker, type Span, spansNewestFirst } from './objective-spans.rules.ts';
import { type SplitColumns, wholeEvents } from './request-pieces.sqlite.ts';

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

export function activityReadUnits(db: Database.Database) {
  const { pageBytes, spans: spansMax } = limits.activity;
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
  const rows = `SELECT a.id, a.member, a.created_at, CAST(a.event AS BLOB) AS event, r.place, r.system, r.tools, r.messages
     FROM activity a LEFT JOIN split_request r ON r.id = a.id`;
  const byId = db.prepare<[number], StoredRow & SplitColumns>(`${rows} WHERE a.id = ?`);
  const after = db.prepare<[string, number], StoredRow & SplitColumns>(
    `${rows} WHERE a.member = ? AND a.id > ? ORDER BY a.id`,
  );
  const wholeEvent = wholeEvents(db);
  const oldest = db.prepare<[], { id: number }>('SELECT id FROM activity ORDER BY id LIMIT 1');
  const floor = db.prepare<[], number>('SELECT id FROM activity_floor WHERE only = 1').pluck();
  const newest = db.prepare<[], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'activity'");

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

  function rowsOf(ids: readonly number[]): RowsPage & { rest: number[] } {
    const page = rowsPage(
      (function* () {
        for (const id of ids) {
          const row = byId.get(id);
          yield row && { ...row, event: wholeEvent(row) };
        }
      })(),
      pageBytes,
    );
    return { bytes: page.bytes, rest: ids.slice(page.taken) };
  }

  function* rowsAfter(member: string, id: number): Generator<StoredRow> {
    for (const row of after.iterate(member, id)) yield { ...row, event: wholeEvent(row) };
  }

  return {
    reads: {
      ...usageReads(db),
      /** Returns the first page of a range, newest first by (ts, id), and the ids of the rest. */
      activityRange: (input: RangeInput): RowsPage & { rest: number[] } => rowsOf(idsIn(input)),
      /** Returns the next page. Rows that were pruned in the meantime are left out. */
      activityRows: (input: { ids: readonly number[] }): RowsPage & { rest: number[] } => rowsOf(input.ids),
      /** Returns a member's rows after an id, oldest first, as frames, and the id up to which rows were removed. */
      activityFrames: (input: { member: string; after: number }): FramesPage & { floor: number } => ({
        ...framesPage(rowsAfter(input.member, input.after), pageBytes),
        floor: floor.get() ?? 0,
      }),
      /** Returns the id up to which rows were removed, and the newest id ever assigned. */
      activityStanding: (): { floor: number; newest: number } => {
        const last = newest.get()?.seq ?? 0;
        // An earlier version removed rows from the oldest on, without keeping how far it got.
        return { floor: Math.max(floor.get() ?? 0, (oldest.get()?.id ?? last + 1) - 1), newest: last };
      },
    },
    writes: {},
  };
}
export type ActivityReadUnits = AsyncUnits<typeof activityReadUnits>;
