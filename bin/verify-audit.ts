/** Verifies the chain of a broker's audit log on the machine of the command. */
import { type AuditHead, type AuditRecord, emptyAuditHead } from '#protocol/audit.ts';
import { auditPages } from '#protocol/audit-pages.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { type BrokenChain, continueChain } from '../broker/security/audit-chain.ts';

export interface VerifiedChain {
  first: AuditHead;
  head: AuditHead;
  records: number;
  /** The cuts that a manager acknowledged, and who did. */
  acknowledged: { seq: number; by: string | null }[];
  /** The hash of the record that was asked for; null if it is not there anymore. */
  pinned: string | null;
}

/**
 * Computes every hash again, from the oldest record to the head. `pin` is the number of a record of which the
 * caller knows the hash. Returns the first place that does not hold, if there is one.
 */
export async function verifyAudit(
  client: BrokerClient,
  pin: number | null,
): Promise<VerifiedChain | BrokenChain> {
  let head: AuditHead | null = null;
  let named: AuditHead | null = null;
  let first: AuditHead | null = null;
  let count = 0;
  let pinned: string | null = null;
  let floor: AuditRecord | null = null;
  const cuts = new Map<number, AuditRecord>();
  const acknowledged: VerifiedChain['acknowledged'] = [];
  for await (const page of auditPages(client, {})) {
    first ??= page.first;
    named ??= page.head;
    if (first.seq === pin) pinned = first.hash;
    const next = continueChain(head ?? first, page.records);
    if ('fault' in next) return next;
    pinned ??= page.records.find(({ seq }) => seq === pin)?.hash ?? null;
    for (const record of page.records) {
      const { seq, kind, subject, before, member } = record;
      if (kind === 'audit_cut') cuts.set(seq, record);
      if (kind === 'audit_cut_acknowledged' && cuts.delete(Number(before?.seq)))
        acknowledged.push({ seq: Number(before?.seq), by: member });
      if (kind === 'retention_removed' && subject?.startsWith('audit.')) floor = record;
    }
    count += page.records.length;
    head = next;
  }
  if (first === null || head === null || named === null) throw new Error('the log has no page');
  if (head.seq !== named.seq || head.hash !== named.hash)
    return {
      seq: named.seq,
      fault: `the chain ends at record ${head.seq}, and the broker names ${named.seq}`,
    };
  for (const { seq, before } of cuts.values())
    return {
      seq,
      fault: `a start found that the log no longer had record ${before?.seq}, which the broker had kept elsewhere (record ${seq})`,
    };
  if (!isCovered(first, floor))
    return { seq: first.seq, fault: `no record says that retention removed the records up to ${first.seq}` };
  return { first, head, records: count, pinned, acknowledged };
}

/** Whether the chain says why it begins there. `removal`: the last record of a removal of records. An older one has no hash. */
function isCovered({ seq, hash }: AuditHead, removal: AuditRecord | null): boolean {
  if (seq === 0) return hash === emptyAuditHead.hash;
  const { upTo, hash: removed = hash } = removal?.after ?? {};
  return upTo === seq && removed === hash;
}
