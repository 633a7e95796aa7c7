/** Reads activity: ranges by time, and what a stream has missed. The bytes are ready to be sent. */
import type Database from 'better-sqlite3';
import { limits } from '#protocol/limits.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { type FramesPage, framesPage, type RowsPage, rowsPage, type StoredRow } from './activity-pages.ts';
import { type RangeInput, rangeIds } from './activity-range.sqlite.ts';
import { usageReads } from './activity-usage.sqlite.ts';
import { type SplitColumns, wholeEvents } from './request-pieces.sqlite.ts';

export function activityReadUnits(db: Database.Database) {
  const { pageBytes } = limits.activity;
  const idsIn = rangeIds(db);
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
      /** Returns one row of the member as JSON; empty if there is none. */
      activityRow: (input: { member: string; id: number }): RowsPage => {
        const row = byId.get(input.id);
        return rowsOf(row?.member === input.member ? [input.id] : []);
      },
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
