/** Which store this is: minted with the store, part of every cursor it hands out. */
import { randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { AsyncUnits } from '../units.ts';

const alphabet = '0123456789abcdefghijklmnopqrstuv';

export function identityUnits(db: Database.Database) {
  const select = db.prepare<[], { id: string }>('SELECT id FROM store_identity');
  const insert = db.prepare<[string]>('INSERT INTO store_identity (id) VALUES (?)');
  return {
    reads: {},
    writes: {
      /** Eight characters. */
      storeIdentity: (): string => {
        const present = select.get();
        if (present !== undefined) return present.id;
        const id = Array.from(randomBytes(8), (byte) => alphabet[byte % alphabet.length]).join('');
        insert.run(id);
        return id;
      },
    },
  };
}
export type IdentityUnits = AsyncUnits<typeof identityUnits>;
