/**
 * Units of work: the only way to the stores. A unit takes one argument of plain data, runs whole inside a transaction on a
 * store thread and answers plain data. Services see the asynchronous type; another engine could implement the same one.
 */

/** Method syntax on purpose: its parameters are bivariant, so a unit of any input type fits this table. */
interface Unit {
  call(input: unknown): unknown;
}
export type UnitTable = Record<string, Unit['call']>;

/** What one adapter contributes. Reads run on the reader thread, writes in the writer's transaction. */
export interface Units {
  reads: UnitTable;
  writes: UnitTable;
  /** Work that takes long and that most threads never need, by the name of the unit that waits for it the first time: loading a module. */
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
  AsyncTable<ReturnType<Adapter>['writes']>;

/** Joins adapters into one table. A name used twice is a programming error and stops start-up. */
export function joinUnits(parts: readonly Units[]): Units {
  const joined: Required<Units> = { reads: {}, writes: {}, beforeFirst: {} };
  for (const part of parts) {
    Object.assign(joined.beforeFirst, part.beforeFirst);
    for (const kind of ['reads', 'writes'] as const) {
      for (const [name, unit] of Object.entries(part[kind])) {
        if (name in joined.reads || name in joined.writes)
          throw new Error(`two units of work are named ${name}`);
        joined[kind][name] = unit;
      }
    }
  }
  return joined;
}
