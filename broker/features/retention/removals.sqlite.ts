/** The removals of a run, by rule, in either store: kept in the transaction that removes, until the audit log has them. */
import type Database from 'better-sqlite3';

/** Times are epoch ms. `upTo`: the newest position, row, or record among them. */
export interface Removed {
  count: number;
  bytes: number;
  oldestAt: number;
  newestAt: number;
  upTo: number;
}

export interface Removal extends Removed {
  /** The id of the run. */
  run: string;
  /** The path of the rule in the policy. */
  rule: string;
}

/** Returns the sum of what was removed, or null if nothing was. */
export function summed(items: readonly { at: number; bytes: number; place: number }[]): Removed | null {
  const [first] = items;
  if (first === undefined) return null;
  const sum: Removed = { count: 0, bytes: 0, oldestAt: first.at, newestAt: first.at, upTo: first.place };
  for (const { at, bytes, place } of items) {
    sum.count += 1;
    sum.bytes += bytes;
    sum.oldestAt = Math.min(sum.oldestAt, at);
    sum.newestAt = Math.max(sum.newestAt, at);
    sum.upTo = Math.max(sum.upTo, place);
  }
  return sum;
}

export function removalRows(db: Database.Database) {
  const add = db.prepare<Removal>(
    `INSERT INTO removal (run, rule, count, bytes, oldest_at, newest_at, up_to)
     VALUES (:run, :rule, :count, :bytes, :oldestAt, :newestAt, :upTo)
     ON CONFLICT (run, rule) DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes,
       oldest_at = min(oldest_at, excluded.oldest_at), newest_at = max(newest_at, excluded.newest_at),
       up_to = max(up_to, excluded.up_to)`,
  );
  const all = db.prepare<[], Removal>(
    `SELECT run, rule, count, bytes, oldest_at AS oldestAt, newest_at AS newestAt, up_to AS upTo FROM removal ORDER BY run, rule`,
  );
  const remove = db.prepare<[string, string]>('DELETE FROM removal WHERE run = ? AND rule = ?');
  return {
    add: (removal: Removal): void => void add.run(removal),
    all: (): Removal[] => all.all(),
    forget: ({ run, rule }: Pick<Removal, 'run' | 'rule'>): void => void remove.run(run, rule),
  };
}
