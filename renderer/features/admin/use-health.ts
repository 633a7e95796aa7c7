/** The facts about the broker that an operator may have to act on, read again while they are shown. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { AuditRecord } from '#protocol/audit.ts';
import { auditRecords } from '#protocol/audit-pages.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useBackupState } from './bridge-states.ts';
import { useDiagnostics } from './diagnostics.ts';
import type { HealthFacts, StorageFacts } from './needs-attention.rules.ts';

const everyMs = 30_000;

/** Returns the records of cuts that no manager acknowledged. */
async function openCuts(client: BrokerClient): Promise<AuditRecord[]> {
  const cuts = new Map<number, AuditRecord>();
  for await (const record of auditRecords(client, { kind: 'audit_cut' })) cuts.set(record.seq, record);
  if (cuts.size === 0) return [];
  for await (const { before } of auditRecords(client, { kind: 'audit_cut_acknowledged' }))
    cuts.delete(Number(before?.seq));
  return [...cuts.values()];
}

async function restOf(
  client: BrokerClient,
): Promise<Pick<HealthFacts, 'lowDisks' | 'logins' | 'subscriptions'>> {
  const [attention, logins, push] = await Promise.all([
    client.call('attention', {}),
    client.call('loginFailures', {}),
    client.call('pushSubscriptions', {}),
  ]);
  return { lowDisks: attention.lowDisks, logins, subscriptions: push.subscriptions };
}

function useRest() {
  const { client } = useBroker();
  return useQuery({
    queryKey: keys.health,
    queryFn: () => restOf(client),
    staleTime: 0,
    refetchInterval: everyMs,
  });
}

type Part = Pick<UseQueryResult, 'error' | 'isError' | 'refetch'>;

const stateOf = (parts: readonly Part[]) => ({
  error: parts.find(({ error }) => error !== null)?.error ?? null,
  retry: () => parts.filter(({ isError }) => isError).forEach(({ refetch }) => void refetch()),
});

/** `facts` is undefined until all of them have been read. */
export function useStorage() {
  const diagnostics = useDiagnostics();
  const rest = useRest();
  const backup = useBackupState();
  const facts: StorageFacts | undefined =
    diagnostics.data === undefined || rest.data === undefined || backup.data === undefined
      ? undefined
      : { diagnostics: diagnostics.data, lowDisks: rest.data.lowDisks, backup: backup.data };
  return { facts, ...stateOf([diagnostics, rest, backup]) };
}

/**
 * `facts` is undefined until all of them have been read. `isCount`: only for a count beside something else, which reads the broker's
 * diagnostics less often, and the audit log once.
 */
export function useHealth({ isCount = false } = {}) {
  const { client } = useBroker();
  const diagnostics = useDiagnostics(isCount ? everyMs : undefined);
  const rest = useRest();
  const backup = useBackupState();
  // A cut is only found when the broker starts, and all of a long log has to be read for it.
  const startedAt = diagnostics.data?.startedAt;
  const cuts = useQuery({
    queryKey: [...keys.audit, 'cuts', startedAt],
    queryFn: () => openCuts(client),
    enabled: startedAt !== undefined,
    staleTime: isCount ? Number.POSITIVE_INFINITY : 0,
  });
  const facts: HealthFacts | undefined =
    diagnostics.data === undefined ||
    rest.data === undefined ||
    backup.data === undefined ||
    cuts.data === undefined
      ? undefined
      : { diagnostics: diagnostics.data, ...rest.data, backup: backup.data, cuts: cuts.data };
  return { facts, ...stateOf([diagnostics, rest, backup, cuts]) };
}
