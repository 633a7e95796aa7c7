/** Appends to the audit log, for units of all features inside their own transaction (specification/audit.md). */
import type Database from 'better-sqlite3';
import type { AuditEntry, AuditHead, AuditRecord } from '#protocol/audit.ts';
import { auditHash } from '../../security/audit-chain.ts';

export interface AuditRow extends Pick<AuditRecord, 'seq' | 'at' | 'kind' | 'via' | 'member'> {
  plane: 'bearer' | 'session' | 'jwt' | null;
  credential: string | null;
  address: string | null;
  subject: string | null;
  before: string | null;
  after: string | null;
  previous: string;
  hash: string;
}

export function auditTrail(db: Database.Database) {
  const newest = db.prepare<[], AuditHead>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1');
  const floor = db.prepare<[], AuditHead>('SELECT seq, hash FROM audit_floor');
  const insert = db.prepare<AuditRow>(
    `INSERT INTO audit (seq, at, kind, via, member, plane, credential, address, subject, before, after, previous, hash)
     VALUES (:seq, :at, :kind, :via, :member, :plane, :credential, :address, :subject, :before, :after, :previous, :hash)`,
  );

  /** Returns the place before the oldest record. */
  function first(): AuditHead {
    const found = floor.get();
    if (found === undefined) throw new Error('the audit log has no floor');
    return found;
  }

  const head = (): AuditHead => newest.get() ?? first();

  function append(entry: AuditEntry): void {
    const last = head();
    const record = { ...entry, seq: last.seq + 1, previous: last.hash };
    const hash = auditHash(record);
    const { credential, before, after } = record;
    insert.run({
      ...record,
      plane: credential?.plane ?? null,
      credential: credential?.id ?? null,
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
      hash,
    });
  }

  return { first, head, append };
}
