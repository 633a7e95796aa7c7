/**
 * The main store's half of the outbox between the stores. A change stages, in its own transaction, what the
 * activity store must learn.
 */
import type Database from 'better-sqlite3';
import type { AsyncUnits } from '../../storage/units.ts';

export interface OutboxRow {
  /** Unique in the life of the store. Together with the store's identity, it is the row's source key. */
  id: number;
  /** The activity to apply, as JSON. */
  payload: string;
}

const rowsPerDrain = 256;

/** Called by other adapters inside their own transaction. */
export function stageOutbox(db: Database.Database): (payload: object) => void {
  const insert = db.prepare<[string]>('INSERT INTO outbox (payload) VALUES (?)');
  return (payload) => {
    insert.run(JSON.stringify(payload));
  };
}

export function outboxUnits(db: Database.Database) {
  const oldest = db.prepare<[number], OutboxRow>('SELECT id, payload FROM outbox ORDER BY id LIMIT ?');
  const removeUpTo = db.prepare<[number]>('DELETE FROM outbox WHERE id <= ?');
  return {
    reads: {},
    upkeep: {
      outboxOldest: (): OutboxRow[] => oldest.all(rowsPerDrain),
    },
    writes: {
      outboxRemoveUpTo: (input: { id: number }): void => {
        removeUpTo.run(input.id);
      },
    },
  };
}
export type OutboxUnits = AsyncUnits<typeof outboxUnits>;
