/**
 * Units of work: the only way to the stores. A unit takes one argument of plain data, runs completely inside
 * a transaction on a store thread, changes nothing but the store, and returns plain data. Services see the asynchronous type, which another
 * engine could implement as well.
 */
import type Database from 'better-sqlite3';

/** Method syntax on purpose: its parameters are bivariant, so a unit of any input type fits this table. */
interface Unit {
  call(input: unknown): unknown;
}
export type UnitTable = Record<string, Unit['call']>;

/** The units that one adapter contributes. Reads run on the reader thread, and writes in the writer's transaction. */
export interface Units {
  reads: UnitTable;
  writes: UnitTable;
  /**
   * The broker's own reads, at start and in its housekeeping: on the writer's thread, so that
   * neither a start nor an idle broker needs a reader (ADR 0013).
   */
  upkeep?: UnitTable;
  /**
   * Reads whose cost depends on what members write and ask for: on a thread of their own, so that no other read waits
   * for them (ADR 0063).
   */
  longReads?: UnitTable;
  /**
   * Writes that are called often and take strings, numbers, lists, and objects only: as JSON, their input crosses threads at
   * a third of the cost of a copy.
   */
  fromJson?: readonly string[];
  /**
   * Long work that most threads never need, such as loading a module, by the name of the unit that waits for
   * it the first time.
   */
  beforeFirst?: Record<string, () => Promise<void>>;
}

type AsyncTable<T> = {
  [K in keyof T]: T[K] extends (input: infer I) => infer R
    ? unknown extends I
      ? () => Promise<R>
      : (input: I) => Promise<R>
    : never;
};

/** The asynchronous face of an adapter: `AsyncUnits<typeof messageUnits>`. */
export type AsyncUnits<Adapter extends (...args: never[]) => Units> = AsyncTable<
  ReturnType<Adapter>['reads']
> &
  AsyncTable<ReturnType<Adapter>['writes']> &
  (ReturnType<Adapter> extends { upkeep: infer Upkeep } ? AsyncTable<Upkeep> : unknown) &
  (ReturnType<Adapter> extends { longReads: infer Long } ? AsyncTable<Long> : unknown);

/** An adapter: prepares its statements on a database and offers its units. */
type Adapter = (db: Database.Database) => Units;

type IntersectionOf<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  whole: infer Whole,
) => void
  ? Whole
  : never;

/** The asynchronous face of a store that joins these adapters. */
export type JoinedUnits<Adapters extends readonly Adapter[]> = IntersectionOf<
  { [Index in keyof Adapters]: AsyncUnits<Adapters[Index]> }[number]
>;

/** Joins adapters into one table. Two units of the same name are a programming error and stop the start. */
export const joinUnits =
  (adapters: readonly Adapter[]) =>
  (db: Database.Database): Units => {
    const joined = {
      reads: {} as UnitTable,
      longReads: {} as UnitTable,
      writes: {} as UnitTable,
      fromJson: [] as string[],
      beforeFirst: {},
    };
    function add(to: UnitTable, units: UnitTable = {}): void {
      for (const [name, unit] of Object.entries(units)) {
        if (name in joined.reads || name in joined.longReads || name in joined.writes)
          throw new Error(`two units of work are named ${name}`);
        to[name] = unit;
      }
    }
    for (const adapter of adapters) {
      const { reads, longReads, writes, upkeep, fromJson = [], beforeFirst } = adapter(db);
      Object.assign(joined.beforeFirst, beforeFirst);
      joined.fromJson.push(...fromJson);
      add(joined.reads, reads);
      add(joined.longReads, longReads);
      add(joined.writes, writes);
      add(joined.writes, upkeep);
    }
    return joined;
  };
