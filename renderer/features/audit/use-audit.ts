/** The audit log as pages from the newest record on, and as a file. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditKind } from '#protocol/audit.ts';
import { type AuditFilters, auditRecords } from '#protocol/audit-pages.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';

export interface AuditFilter {
  kind?: AuditKind | undefined;
  member?: string | undefined;
  /** In epoch ms. */
  since?: number | undefined;
}

const refetchMs = 30_000;

const queryOf = ({ kind, member, since }: AuditFilter): AuditFilters => ({
  ...(kind !== undefined && { kind }),
  ...(member !== undefined && { member }),
  ...(since !== undefined && { since: String(since) }),
});

/** No event reports new records, so the log is polled while the page is visible. */
export function useAudit(filter: AuditFilter) {
  const { client } = useBroker();
  return useInfiniteQuery({
    queryKey: [...keys.audit, filter],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam }) =>
      client.call('audit', {
        query: { ...queryOf(filter), ...(pageParam !== null && { before: String(pageParam) }) },
      }),
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: refetchMs,
    refetchOnWindowFocus: true,
  });
}

/** Returns everything that the filter matches, oldest first, as one line of JSON each. */
export async function exportOf(client: BrokerClient, filter: AuditFilter): Promise<Blob> {
  const lines: string[] = [];
  for await (const record of auditRecords(client, queryOf(filter))) lines.push(`${JSON.stringify(record)}\n`);
  return new Blob(lines, { type: 'application/jsonl' });
}
