/**
 * The head of the audit log, kept in the activity store as well, so that a log that was cut or emptied in the main store is found
 * (specification/audit.md#the-anchor).
 */
import type Database from 'better-sqlite3';
import type { AuditHead } from '#protocol/audit.ts';
import type { AsyncUnits } from '../../storage/units.ts';

export function auditAnchorUnits(db: Database.Database) {
  const get = db.prepare<[], AuditHead>('SELECT seq, hash FROM audit_anchor WHERE only = 1');
  const set = db.prepare<AuditHead>(
    `INSERT INTO audit_anchor (only, seq, hash) VALUES (1, :seq, :hash)
     ON CONFLICT (only) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
  );
  return {
    reads: {},
    upkeep: {
      auditAnchor: (): AuditHead | null => get.get() ?? null,
    },
    writes: {
      setAuditAnchor: (head: AuditHead): void => void set.run(head),
    },
  };
}
export type AuditAnchorUnits = AsyncUnits<typeof auditAnchorUnits>;
