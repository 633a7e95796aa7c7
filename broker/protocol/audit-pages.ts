/** Reads the audit log page by page, oldest first. */
import type { z } from 'zod';
import type { AuditPage, AuditQuery, AuditRecord } from './audit.ts';
import type { BrokerClient } from './client.ts';
import { limits } from './limits.ts';

export type AuditFilters = Partial<Pick<z.input<typeof AuditQuery>, 'kind' | 'member' | 'since' | 'until'>>;

/** Yields the pages up to the head that the first of them names. @throws BrokerError */
export async function* auditPages(client: BrokerClient, filters: AuditFilters): AsyncGenerator<AuditPage> {
  let after = '0';
  let end = Number.POSITIVE_INFINITY;
  for (;;) {
    const query = { ...filters, after, limit: String(limits.audit.pageMax) };
    const page = await client.call('audit', { query });
    end = Math.min(end, page.head.seq);
    yield { ...page, records: page.records.filter(({ seq }) => seq <= end) };
    if (page.next === null || page.next >= end) return;
    after = String(page.next);
  }
}

/** Yields every record that the filters match, as the log was when the reading began. @throws BrokerError */
export async function* auditRecords(
  client: BrokerClient,
  filters: AuditFilters,
): AsyncGenerator<AuditRecord> {
  for await (const { records } of auditPages(client, filters)) yield* records;
}
