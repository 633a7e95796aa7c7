/**
 * Bearer tokens in the main store: hashes and metadata, never the plaintext
 * (specification/authentication.md#tokens).
 */
import type Database from 'better-sqlite3';
import type { AuditEntry } from '#protocol/audit.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';
import { kindRows } from '../kinds/kinds.sqlite.ts';
import type { TokenRow } from './tokens.rules.ts';

export type { TokenRow } from './tokens.rules.ts';

const columns = `id, member, hash, label, origin, created_at AS createdAt, created_by AS createdBy,
  last_used_at AS lastUsedAt, expires_at AS expiresAt, replaced_by AS replacedBy, last_address AS lastAddress`;

/** When a token was used last, epoch ms, and from where. */
export interface TokenUse {
  id: string;
  at: number;
  address: string | null;
}

/** For units of other features that create or end tokens inside their own transaction. */
export function tokenRows(db: Database.Database) {
  const insert = db.prepare<TokenRow>(
    `INSERT INTO token (id, member, hash, label, origin, created_at, created_by, last_used_at, expires_at)
     VALUES (:id, :member, :hash, :label, :origin, :createdAt, :createdBy, :lastUsedAt, :expiresAt)`,
  );
  const remove = db.prepare<[string]>('DELETE FROM token WHERE id = ?');
  const removeOf = db.prepare<[string]>('DELETE FROM token WHERE member = ?');
  return {
    insert: (row: TokenRow): void => void insert.run(row),
    remove: (id: string): void => void remove.run(id),
    removeOf: (member: string): void => void removeOf.run(member),
  };
}

export function tokenUnits(db: Database.Database) {
  const all = db.prepare<[], TokenRow>(`SELECT ${columns} FROM token`);
  const touch = db.prepare<TokenUse>(
    'UPDATE token SET last_used_at = :at, last_address = :address WHERE id = :id',
  );
  const postpone = db.prepare<[number, string]>('UPDATE token SET expires_at = ? WHERE id = ?');
  const replace = db
    .prepare<[string, string], string>('UPDATE token SET replaced_by = ? WHERE member = ? RETURNING id')
    .pluck();
  const rows = tokenRows(db);
  const trail = auditTrail(db);
  const kinds = kindRows(db);
  return {
    reads: {},
    upkeep: {
      allTokens: (): TokenRow[] => all.all(),
    },
    writes: {
      /** Without `audit`, the audit log has the change elsewhere, or it is upkeep. */
      changeTokens: (input: { remove: string[]; insert: TokenRow[]; audit?: AuditEntry }): void => {
        for (const id of input.remove) rows.remove(id);
        for (const row of input.insert) {
          rows.insert(row);
          if (row.origin === 'run') kinds.ran(row.member, row.createdAt);
        }
        if (input.audit !== undefined) trail.append(input.audit);
      },
      touchTokens: (input: TokenUse[]): void => {
        for (const use of input) touch.run(use);
      },
      postponeToken: ({ id, expiresAt }: { id: string; expiresAt: number }): void =>
        void postpone.run(expiresAt, id),
      /**
       * The first half of a rotation. Returns the ids of the tokens that it ends. The configuration decides
       * whether it happened.
       */
      beginRotation: (row: TokenRow): string[] => {
        const replaced = replace.all(row.id, row.member);
        rows.insert(row);
        return replaced;
      },
    },
  };
}
export type TokenUnits = AsyncUnits<typeof tokenUnits>;
