/** Reads the rows of a table that may be damaged (specification/backup.md#repair). */
import Database from 'better-sqlite3';

export interface Table {
  name: string;
  columns: string[];
  key: string[];
}

/** Keys of rows between which nothing was read yet. */
interface Gap {
  low: bigint;
  high: bigint;
}

/** Bounds the time for a large part that is lost: an unreadable place costs about 20 µs. */
const maxGaps = 50_000;

type Reading = Generator<unknown[], { isWhole: boolean; last: unknown }>;

/** Returns whether all rows could be read, and the key of the last one; undefined if there was none. */
function* untilFault(rows: () => Iterable<unknown[]>, keyAt: number): Reading {
  let last: unknown;
  try {
    for (const row of rows()) {
      last = row[keyAt];
      yield row;
    }
    return { isWhole: true, last };
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return { isWhole: false, last };
  }
}

/** @throws SqliteError if the schema cannot be read. */
const selectFrom = (
  db: Database.Database,
  { name, columns, key }: Table,
  direction: 'ASC' | 'DESC',
  where = '',
): Database.Statement<bigint[], unknown[]> =>
  db
    .prepare<bigint[], unknown[]>(
      `SELECT ${columns.join(', ')} FROM ${name} NOT INDEXED ${where} ORDER BY ${key.map((column) => `${column} ${direction}`).join(', ')}`,
    )
    .raw()
    .safeIntegers();

/** The largest id that the table has given, if the store can say so; a table whose end is lost has no other upper bound. */
function lastGiven(db: Database.Database, { name }: Table): bigint | null {
  try {
    const seq = db.prepare<[string], bigint>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck();
    return seq.safeIntegers().get(name.slice(1, -1)) ?? null;
  } catch {
    return null;
  }
}

/** Halves each gap, the oldest first, so that it reads what is whole between two places that are not. */
function* between(db: Database.Database, table: Table, gap: Gap, keyAt: number): Generator<unknown[]> {
  const where = `WHERE ${table.key[0]} > ? AND ${table.key[0]} < ?`;
  const ascending = selectFrom(db, table, 'ASC', where);
  const descending = selectFrom(db, table, 'DESC', where);
  const gaps = [gap];
  for (let n = 0; n < Math.min(gaps.length, maxGaps); n++) {
    const { low, high } = gaps[n] as Gap;
    const middle = (low + high) / 2n;
    for (const half of [
      { low, high: middle + 1n },
      { low: middle, high },
    ]) {
      const up = yield* untilFault(() => ascending.iterate(half.low, half.high), keyAt);
      if (up.isWhole) continue;
      const from = typeof up.last === 'bigint' ? up.last : half.low;
      const down = yield* untilFault(() => descending.iterate(from, half.high), keyAt);
      const to = typeof down.last === 'bigint' ? down.last : half.high;
      if (!down.isWhole && to - from > 2n) gaps.push({ low: from, high: to });
    }
  }
}

/**
 * The rows from both ends up to what cannot be read, and, of a table whose key is one number, the rows between. Returns
 * whether all of them could be read. @throws SqliteError without a salvage.
 */
export function* readableRows(
  db: Database.Database,
  table: Table,
  isSalvage: boolean,
): Generator<unknown[], boolean> {
  const all = (direction: 'ASC' | 'DESC') => selectFrom(db, table, direction).iterate();
  if (!isSalvage) {
    yield* all('ASC');
    return true;
  }
  const keyAt = table.columns.indexOf(table.key[0] ?? '');
  const up = yield* untilFault(() => all('ASC'), keyAt);
  if (up.isWhole) return true;
  const down = yield* untilFault(() => all('DESC'), keyAt);
  const last = down.last ?? lastGiven(db, table);
  if (!down.isWhole && table.key.length === 1 && typeof last === 'bigint') {
    const low = typeof up.last === 'bigint' ? up.last : 0n;
    const high = down.last === undefined ? last + 1n : last;
    if (high - low > 1n) yield* between(db, table, { low, high }, keyAt);
  }
  return false;
}
