/** Determines who holds the lease of a member (specification/presence.md#runs). */
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { Reach, Run, RunClaim, RunPresence } from '#protocol/run.ts';

export interface Lease {
  member: MemberName;
  runId: string;
  host: string;
  agent: string;
  pid: number | null;
  /** Since when the run holds it; epoch ms. */
  since: number;
  renewedAt: number;
  /** As its runner said at the last renewal. */
  reach?: Reach | undefined;
}

export const isResponding = ({ renewedAt }: Lease, now: number): boolean =>
  now - renewedAt < limits.run.leaseMs;

/**
 * `granted`: the claim gets the lease. `held`: another run has it. `leaving`: another run has it and must
 * end first.
 */
export type Decision = 'granted' | 'held' | 'leaving';

export function decideClaim(current: Lease | undefined, claim: RunClaim, now: number): Decision {
  if (current === undefined || current.runId === claim.runId) return 'granted';
  if (claim.replaces?.includes(current.runId) || !isResponding(current, now)) return 'granted';
  return claim.takeOver === true ? 'leaving' : 'held';
}

export function leaseOf(
  member: MemberName,
  { runId, host, agent, pid }: RunClaim,
  current: Lease | undefined,
  now: number,
): Lease {
  const renewed = current?.runId === runId ? current : undefined;
  const since = renewed?.since ?? now;
  return { member, runId, host, agent, pid: pid ?? null, since, renewedAt: now, reach: renewed?.reach };
}

export const presenceOf = (lease: Lease, now: number): RunPresence => ({
  host: lease.host,
  agent: lease.agent,
  since: lease.since,
  isResponding: isResponding(lease, now),
  ...(lease.reach !== undefined && { reach: lease.reach }),
});

export const runOf = (lease: Lease, now: number): Run => ({
  runId: lease.runId,
  member: lease.member,
  pid: lease.pid,
  ...presenceOf(lease, now),
});
