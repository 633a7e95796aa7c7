/** Bearer tokens in the main store: hashes and metadata, never the plaintext (D3). */
import type Database from 'better-sqlite3';
import type { AsyncUnits } from '../../storage/units.ts';
import type { TokenRow } from './tokens.rules.ts';

const columns = `id, member, hash, label, origin, created_at AS createdAt, created_by AS createdBy,
  last_used_at AS lastUsedAt, expires_at AS expiresAt`;

export function tokenUnits(db: Database.Database) {
  const all = db.prepare<[], TokenRow>(`SELECT ${columns} FROM token`);
  const insert = db.prepare<TokenRow>(
    `INSERT INTO token (id, member, hash, label, origin, created_at, created_by, last_used_at, expires_at)
     VALUES (:id, :member, :hash, :label, :origin, :createdAt, :createdBy, :lastUsedAt, :expiresAt)`,
  );
  const remove = db.prepare<[string]>('DELETE FROM token WHERE id = ?');
  const touch = db.prepare<[number, string]>('UPDATE token SET last_used_at = ? WHERE id = ?');
  return {
    reads: {
      allTokens: (): TokenRow[] => all.all(),
    },
    writes: {
      changeTokens: (input: { remove: string[]; insert: TokenRow[] }): void => {
        for (const id of input.remove) remove.run(id);
        for (const row of input.insert) insert.run(row);
      },
      touchTokens: (input: { id: string; at: number }[]): void => {
        for (const { id, at } of input) touch.run(at, id);
      },
    },
  };
}
export type TokenUnits = AsyncUnits<typeof tokenUnits>;
