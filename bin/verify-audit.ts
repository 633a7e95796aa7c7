/** Verifies the chain of a broker's audit log on the machine of the command. */
import type { AuditHead } from '#protocol/audit.ts';
import { auditPages } from '#protocol/audit-pages.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { type BrokenChain, continueChain } from '../broker/security/audit-chain.ts';

export interface VerifiedChain {
  first: AuditHead;
  head: AuditHead;
  records: number;
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
  for await (const page of auditPages(client, {})) {
    first ??= page.first;
    named ??= page.head;
    if (first.seq === pin) pinned = first.hash;
    const next = continueChain(head ?? first, page.records);
    if ('fault' in next) return next;
    pinned ??= page.records.find(({ seq }) => seq === pin)?.hash ?? null;
    count += page.records.length;
    head = next;
  }
  if (first === null || head === null || named === null) throw new Error('the log has no page');
  if (head.seq !== named.seq || head.hash !== named.hash)
    return {
      seq: named.seq,
      fault: `the chain ends at record ${head.seq}, and the broker names ${named.seq}`,
    };
  return { first, head, records: count, pinned };
}
