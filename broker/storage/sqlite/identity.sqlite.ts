/** The identity of a store: assigned when the store is created, and part of every cursor that it issues. */
import { randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';

const alphabet = '0123456789abcdefghijklmnopqrstuv';

/** Eight characters. */
export const mintStoreId = (): string =>
  Array.from(randomBytes(8), (byte) => alphabet[byte % alphabet.length]).join('');

export function identityUnits(db: Database.Database) {
  const select = db.prepare<[], { id: string }>('SELECT id FROM store_identity');
  const insert = db.prepare<[string]>('INSERT INTO store_identity (id) VALUES (?)');
  const date = db.prepare<[number]>('UPDATE store_identity SET created_at = ? WHERE created_at IS NULL');
  const first = db.prepare<[], { ts: number }>('SELECT ts FROM message ORDER BY seq LIMIT 1');
  const createdAt = db.prepare<[], { at: number }>('SELECT created_at AS at FROM store_identity');
  return {
    reads: {},
    writes: {
      /** Eight characters. */
      storeIdentity: (): string => {
        const present = select.get();
        if (present !== undefined) return present.id;
        const id = mintStoreId();
        insert.run(id);
        return id;
      },
      /**
       * Epoch ms of the store's first start; for a store that is older than this record, of its first
       * message. Call it after storeIdentity.
       */
      storeCreatedAt: ({ now }: { now: number }): number => {
        date.run(first.get()?.ts ?? now);
        return createdAt.get()?.at ?? now;
      },
    },
  };
}
