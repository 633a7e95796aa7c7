/**
 * A store of one table, with units that do what no real one does: refuse late, break, or run out of space.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import { runStoreThread } from '../store-loop.ts';
import type { ThreadSettings } from '../thread-messages.ts';
import type { AsyncUnits } from '../units.ts';

const migrations = [
  `CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, bulk BLOB) STRICT;
   CREATE TABLE part (item INTEGER NOT NULL REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED) STRICT;`,
];

export interface Item {
  name: string;
  /** The bytes of the row besides its name. */
  bulk?: number;
}

function testUnits(db: Database.Database) {
  const insert = db.prepare<[string, Buffer | null]>('INSERT INTO item (name, bulk) VALUES (?, ?)');
  const all = db.prepare<[], { name: string }>('SELECT name FROM item ORDER BY id');
  const add = ({ name, bulk }: Item): number =>
    Number(insert.run(name, bulk === undefined ? null : Buffer.alloc(bulk)).lastInsertRowid);
  const insertPart = db.prepare<[number]>('INSERT INTO part (item) VALUES (?)');
  const pragma = ({ name }: { name: string }): unknown => db.pragma(name, { simple: true });
  return {
    reads: {
      names: (): string[] => all.all().map(({ name }) => name),
      refusedRead: (): void => refuse('not_a_recipient'),
      readerPragma: pragma,
      /** Takes at least so many ms. */
      readFor: (ms: number): number => {
        for (const end = performance.now() + ms; performance.now() < end; );
        return ms;
      },
      /** Ends when the first number of the gate is no longer 0. */
      readUntil: (gate: Int32Array): string => Atomics.wait(gate, 0, 0),
    },
    writes: {
      add,
      addThenRefuse: (item: Item): void => {
        add(item);
        refuse(
          'name_taken',
          { name: item.name, holder: 'ana' },
          { details: { by: item.name }, retryAfter: 7 },
        );
      },
      addThenBreak: (item: Item): void => {
        add(item);
        throw new TypeError(`secret cause ${item.name}`);
      },
      /** Returns what cannot cross threads. */
      addAndAnswerCode: (item: Item): unknown => {
        add(item);
        return () => undefined;
      },
      /** Its fault shows only when the transaction commits. */
      addOrphan: (): void => {
        insertPart.run(-1);
      },
      writerPragma: pragma,
    },
  };
}
export type TestUnits = AsyncUnits<typeof testUnits>;

const settings = workerData as ThreadSettings;
if (parentPort === null) throw new Error('this module runs as a store thread only');
runStoreThread(parentPort, settings, {
  migrations,
  units: (db) => {
    if (settings.store === 'readerless' && settings.role === 'reader') db.exec('SELECT * FROM no_such_table');
    return testUnits(db);
  },
});
