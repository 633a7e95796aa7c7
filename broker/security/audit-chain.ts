/** The hashes of the audit log (specification/audit.md#the-chain). */
import { createHash } from 'node:crypto';
import type { AuditHead, AuditRecord } from '#protocol/audit.ts';
import { auditText } from '#protocol/audit-text.ts';

/** Returns the hash of a record: 64 hex digits. */
export const auditHash = (record: Omit<AuditRecord, 'hash'>): string =>
  createHash('sha256').update(auditText(record)).digest('hex');

/** A place at which a chain does not hold, in one sentence. */
export interface BrokenChain {
  seq: number;
  fault: string;
}

/** Checks that records, oldest first, continue a chain. Returns its new head, or the first place that does not hold. */
export function continueChain(head: AuditHead, records: readonly AuditRecord[]): AuditHead | BrokenChain {
  let last = head;
  for (const record of records) {
    const { seq, previous, hash } = record;
    if (seq !== last.seq + 1) return { seq, fault: `record ${last.seq + 1} is missing` };
    if (previous !== last.hash) return { seq, fault: `record ${seq} does not continue record ${last.seq}` };
    if (auditHash(record) !== hash) return { seq, fault: `record ${seq} was changed` };
    last = { seq, hash };
  }
  return last;
}
