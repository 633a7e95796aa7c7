/**
 * The lease of a run: at most one run of a member works at a time (specification/presence.md#runs). It is
 * taken before the agent starts, renewed while the run lives, and returned at the end.
 */
import { hostname } from 'node:os';
import process from 'node:process';
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError, isRefusedFor, isUnknownOperation } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { Presence } from '#protocol/presence.ts';
import type { Reach, Run } from '#protocol/run.ts';

/** The broker no longer lets this run work. */
export interface LeaseRefusal {
  /** `another run`: of the member, which took over. `stop`: somebody stopped this one. `credential`: the token is revoked or expired. */
  by: 'another run' | 'stop' | 'credential';
  /** The reason that the broker gave. */
  reason: string;
}

export interface RunLease {
  /** For each presence frame of the stream: another run in it means that this one may have to end. */
  onPresence(data: string): void;
  /** The broker may have something to tell this run: it renews the lease at once. */
  onAsked(): void;
  /** Tells the broker what reaches the agent; null for everything. */
  setReach(reach: Reach | null): void;
  /** Returns the lease. Resolves with whether the broker has it, at the latest after three seconds. */
  end(): Promise<boolean>;
}

export interface RunLeaseRequest {
  client: BrokerClient;
  runId: string;
  member: string;
  /** The agent's name and version. */
  agent: string;
  /** Runs of this member on this machine whose processes are gone. */
  replaces: readonly string[];
  takeOver: boolean;
  onRefused(refusal: LeaseRefusal): void;
  /** The member `by` asks to interrupt the agent; called once for each request. */
  onInterrupt(by: string): void;
  log: (event: string, data?: object) => void;
  /** `limits.run.renewMs` by default. */
  renewMs?: number;
}

const endTimeoutMs = 3000;

/**
 * Resolves when the run has the lease; null if the broker is too old to give one.
 * @throws BrokerError run_held while another run has it.
 */
export async function takeLease(request: RunLeaseRequest): Promise<RunLease | null> {
  const {
    client,
    runId,
    member,
    replaces,
    onRefused,
    onInterrupt,
    log,
    renewMs = limits.run.renewMs,
  } = request;
  const claim = {
    runId,
    host: hostname().slice(0, limits.run.host) || 'unknown',
    agent: request.agent.slice(0, limits.run.agent),
    pid: process.pid,
    replaces: replaces.slice(-limits.run.replaces),
  };

  async function take(takeOver: boolean): Promise<Run> {
    const body = { ...claim, ...(takeOver && { takeOver }) };
    const { run } = await client.call('takeRun', { body });
    log('has the lease', { runId, since: run.since });
    return run;
  }

  let current: Run;
  try {
    current = await take(request.takeOver);
  } catch (error) {
    if (!isUnknownOperation(error)) throw error;
    log('the broker gives no leases');
    return null;
  }

  let isRenewing = false;
  let isStale = false;
  let hasEnded = false;
  let lastInterruption: string | null = null;
  let reach: Reach | null = null;

  async function renewNow(): Promise<void> {
    try {
      const renewed = await client.call('renewRun', {
        params: { id: runId },
        ...(reach !== null && { body: { reach } }),
      });
      current = renewed.run;
      const { interruption } = renewed;
      if (interruption === undefined || interruption.id === lastInterruption) return;
      lastInterruption = interruption.id;
      onInterrupt(interruption.by);
    } catch (error) {
      // It lapsed, and nobody else took it.
      if (isRefusedFor(error, 'unknown_run')) current = await take(false);
      else throw error;
    }
  }

  function handleFailure(error: unknown): void {
    if (hasEnded) return;
    const reason = error instanceof Error ? error.message : String(error);
    log('the lease was not renewed', { reason });
    if (!(error instanceof BrokerError)) return;
    if (isRefusedFor(error, 'run_taken_over') || isRefusedFor(error, 'run_held'))
      onRefused({ by: 'another run', reason });
    else if (isRefusedFor(error, 'run_stopped')) onRefused({ by: 'stop', reason });
    else if (error.status === 401) onRefused({ by: 'credential', reason });
  }

  /** While the broker is slow, renewals would queue up: at most one follows the one in progress. */
  async function renew(): Promise<void> {
    isStale = true;
    if (isRenewing) return;
    isRenewing = true;
    while (isStale && !hasEnded) {
      isStale = false;
      await renewNow().catch(handleFailure);
    }
    isRenewing = false;
  }

  const timer = setInterval(() => void renew(), renewMs);
  return {
    onPresence(data) {
      const read = Presence.safeParse(JSON.parse(data));
      if (!read.success || read.data.name !== member || hasEnded) return;
      const { run } = read.data;
      if (run?.since !== current.since || run.host !== current.host) void renew();
    },
    onAsked: () => void renew(),
    setReach(now) {
      if (reach === now) return;
      reach = now;
      void renew();
    },
    async end() {
      hasEnded = true;
      clearInterval(timer);
      const late = Promise.withResolvers<boolean>();
      const giveUp = setTimeout(() => late.resolve(false), endTimeoutMs);
      const ended = client.call('endRun', { params: { id: runId } }).then(
        () => true,
        (error: unknown) => {
          // It lapses by itself.
          log('the lease was not returned', { reason: String(error) });
          return false;
        },
      );
      const isReturned = await Promise.race([ended, late.promise]);
      clearTimeout(giveUp);
      return isReturned;
    },
  };
}
