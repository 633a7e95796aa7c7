/** Removing what is old from the activity store, in units of a few milliseconds (specification/retention.md#runs). */
import type Database from 'better-sqlite3';
import { loosePieces } from '../../storage/loose-pieces.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { type Removal, removalRows, summed } from './removals.sqlite.ts';
import type { RemovalOrder } from './retention.sqlite.ts';

export interface ActivityStep {
  removed: number;
  /** The last row that was looked at; null if nothing is left to look at. */
  next: number | null;
}

interface Row {
  id: number;
  member: string;
  at: number;
  bytes: number;
}

export function activityRetentionUnits(db: Database.Database) {
  const oldest = db.prepare<[number, number], Row>(
    'SELECT id, member, created_at AS at, octet_length(event) AS bytes FROM activity WHERE id > ? ORDER BY id LIMIT ?',
  );
  const remove = db.prepare<[number]>('DELETE FROM activity WHERE id = ?');
  const removeLoose = loosePieces(db);
  const removals = removalRows(db);
  const pageBytes = Number(db.pragma('page_size', { simple: true }));

  /** The part of the file that is in use. */
  function usedBytes(): number {
    const pages = Number(db.pragma('page_count', { simple: true }));
    return (pages - Number(db.pragma('freelist_count', { simple: true }))) * pageBytes;
  }

  /** A row that stays does not end it. */
  function removeWhile(
    { run, rule, held, limit, after }: RemovalOrder & { after: number },
    decide: (row: Row) => 'remove' | 'keep' | 'end',
  ): ActivityStep {
    const gone: Row[] = [];
    let next: number | null = null;
    let isEnd = false;
    const found = oldest.all(after, limit);
    for (const row of found) {
      const decision = decide(row);
      isEnd = decision === 'end';
      if (isEnd) break;
      next = row.id;
      if (decision === 'keep' || held.includes(row.member)) continue;
      remove.run(row.id);
      gone.push(row);
    }
    const sum = summed(gone.map(({ id, at, bytes }) => ({ at, bytes, place: id })));
    if (sum !== null) removals.add({ run, rule, ...sum });
    return { removed: gone.length, next: isEnd || found.length < limit ? null : next };
  }

  return {
    reads: {},
    upkeep: {
      /** Returns the removals of runs that the audit log may not have yet. */
      activityRemovals: (): Removal[] => removals.all(),
    },
    writes: {
      /** Removes rows that were stored before a time. Ids and times grow together, except in what a clock stamped that was ahead. */
      removeOldActivity: (
        order: RemovalOrder & { after: number; before: number; now: number },
      ): ActivityStep =>
        removeWhile(order, ({ at }) => (at < order.before ? 'remove' : at > order.now ? 'keep' : 'end')),
      /** Removes the oldest rows while more than `maxBytes` of the file are in use. */
      removeExcessActivity: (order: RemovalOrder & { after: number; maxBytes: number }): ActivityStep =>
        removeWhile(order, () => (usedBytes() > order.maxBytes ? 'remove' : 'end')),
      /** Deletes what removed rows shared and no other row needs. Resolves to true when nothing is left. */
      removeLoosePieces: ({ limit }: { limit: number }): boolean => removeLoose(limit) < limit,
      forgetActivityRemovals: ({ removals: recorded }: { removals: readonly Removal[] }): void => {
        for (const removal of recorded) removals.forget(removal);
      },
    },
  };
}
export type ActivityRetentionUnits = AsyncUnits<typeof activityRetentionUnits>;
