/**
 * The pairing that a platform may look up once. Only the newest one counts: a new binding replaces the
 * previous one (specification/platform.md).
 */
import type Database from 'better-sqlite3';
import type { AuditEntry } from '#protocol/audit.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';

export interface Pairing {
  /** `sha256:<hex>`; the code itself is not kept. */
  codeHash: string;
  member: string;
  boundAt: number;
}

export function platformConnectUnits(db: Database.Database) {
  const trail = auditTrail(db);
  const below = db.prepare<[string]>('DELETE FROM pairing WHERE code_hash < ?');
  const above = db.prepare<[string]>('DELETE FROM pairing WHERE code_hash > ?');
  const put = db.prepare<Pairing>(
    `INSERT INTO pairing (code_hash, member, bound_at) VALUES (:codeHash, :member, :boundAt)
     ON CONFLICT (code_hash) DO UPDATE SET member = excluded.member, bound_at = excluded.bound_at`,
  );
  const claim = db.prepare<[string], Pairing>(
    'DELETE FROM pairing WHERE code_hash = ? RETURNING code_hash AS codeHash, member, bound_at AS boundAt',
  );
  return {
    reads: {},
    writes: {
      putPairing: ({ pairing, audit }: { pairing: Pairing; audit: AuditEntry }): void => {
        below.run(pairing.codeHash);
        above.run(pairing.codeHash);
        put.run(pairing);
        trail.append(audit);
      },
      /** Answered once: the row is deleted with the answer. */
      claimPairing: (input: { codeHash: string }): Pairing | undefined => claim.get(input.codeHash),
    },
  };
}
export type PlatformConnectUnits = AsyncUnits<typeof platformConnectUnits>;
