/**
 * One lease per member: at most one run of a member works at a time, on any machine
 * (specification/presence.md#runs).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { AuditKind } from '#protocol/audit.ts';
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { Reach, Run, RunClaim, RunInterruption, RunList, RunPresence } from '#protocol/run.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Expiries } from '../../runtime/expiries.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import { decideClaim, isResponding, type Lease, leaseOf, presenceOf, runOf } from './runs.rules.ts';
import type { RunUnits } from './runs.sqlite.ts';

export interface Runs {
  /** The caller's own, or everybody's for a manager. */
  list(reader: Pick<Actor, 'name' | 'permissions'>): RunList;
  /**
   * Gives the lease to this run. With `takeOver`, the run that holds it is told to end first and has ten
   * seconds to do so; `confirm` refuses a caller whose credential ended meanwhile. At most
   * `limits.run.takingOver` claims of a member wait. @throws BrokerError run_held.
   */
  take(member: MemberName, claim: RunClaim, confirm: () => Promise<unknown>): Promise<Run>;
  /** @throws BrokerError run_taken_over; unknown_run if nobody holds the lease, so that the run takes it again. */
  renew(member: MemberName, runId: string, reach?: Reach): Run;
  /** Returns the lease; does nothing if the run does not hold it. */
  end(member: MemberName, runId: string): Promise<void>;
  /**
   * Asks the run that holds the lease since then to end: its renewals are refused for a minute. The audit log has it before that.
   * @throws BrokerError unknown_run if another run holds it, or none.
   */
  stop(member: string, since: number, by: string): Promise<void>;
  /** Asks that run to end the turn of its agent; as `stop` otherwise. Each request is one of its own. */
  interrupt(member: string, since: number, by: string): Promise<void>;
  /** The request to this run within the last minute. */
  interruptionOf(member: string, runId: string): RunInterruption | undefined;
  /** Whether a run holds the member's lease, also if it does not respond. */
  isHeld(name: MemberName): boolean;
  /** The run to show beside the member's presence; none while it is told to end. */
  shown(name: MemberName): RunPresence | undefined;
  /** A lapsed lease is kept, and shown as not responding, only as long as the member is connected. */
  connectionsChanged(name: string): void;
  /** The member was removed. */
  forget(name: MemberName): void;
  load(): Promise<void>;
}

export interface RunsDeps {
  units: RunUnits;
  clock: Clock;
  expiries: Expiries;
  members: Members;
  audit: Pick<Audit, 'entry' | 'record'>;
  connections: (name: string) => number;
  /** The run to show for this member changed. */
  onChanged: (name: MemberName) => void;
  /** Another run of this member was given the lease, and it is on disk. */
  onTaken: (name: MemberName) => void;
  /** A housekeeping write failed that the next start makes up for. */
  onWriteDeferred: (error: unknown) => void;
  /** How long a run may take to end; `limits.run.leaveMs` by default. */
  leaveMs?: number;
}

/** A run that was told to end, for another one. */
interface Leaving {
  runId: string;
  /** The host of the run that takes over. */
  host: string;
  gone: PromiseWithResolvers<void>;
}

interface Asked {
  runId: string;
  by: string;
  until: number;
}

export function createRuns(deps: RunsDeps): Runs {
  const { units, clock, expiries, members, audit, connections, onChanged, onTaken, onWriteDeferred } = deps;
  const { leaveMs = limits.run.leaveMs } = deps;
  const leaseByName = new Map<string, Lease>();
  const leavingByName = new Map<string, Leaving>();
  /** The runs that somebody asked to end. */
  const stopByName = new Map<string, Asked>();
  /** The runs that somebody asked to interrupt their agents, with the latest request. */
  const interruptionByName = new Map<string, Asked & { id: string }>();
  /** How many claims wait for the run that is told to end. */
  const waitingByName = new Map<string, number>();
  const expiryOf = (name: string): string => `run:${name}`;

  function hold(lease: Lease): void {
    leaseByName.set(lease.member, lease);
    expiries.set(expiryOf(lease.member), lease.renewedAt + limits.run.leaseMs, () => lapse(lease.member));
  }

  function putBack(failed: Lease, former: Lease | undefined): void {
    if (former !== undefined) hold(former);
    else {
      leaseByName.delete(failed.member);
      expiries.delete(expiryOf(failed.member));
    }
  }

  function leaseSince(name: string, since: number): Lease {
    const lease = leaseByName.get(name);
    if (lease === undefined || lease.since !== since) refuse('unknown_run');
    return lease;
  }

  /** Returns what the run is asked once the audit log has it. `kind`: null if the log has it already. */
  async function ask(kind: AuditKind | null, name: string, since: number, by: string): Promise<Asked> {
    const { host, agent, runId } = leaseSince(name, since);
    const before = { host, agent, startedAt: since };
    if (kind !== null) await audit.record(audit.entry(kind, { subject: name, before }));
    // It may have ended in the meantime.
    if (leaseByName.get(name)?.runId !== runId) refuse('unknown_run');
    return { runId, by, until: clock() + limits.run.askMs };
  }

  function drop({ member, runId }: Lease): Promise<void> {
    leaseByName.delete(member);
    stopByName.delete(member);
    interruptionByName.delete(member);
    expiries.delete(expiryOf(member));
    const leaving = leavingByName.get(member);
    if (leaving?.runId === runId) leaving.gone.resolve();
    onChanged(member);
    return units.forgetLease({ member, runId });
  }

  function lapse(name: MemberName): void {
    onChanged(name);
    connectionsChanged(name);
  }

  function connectionsChanged(name: string): void {
    const lease = leaseByName.get(name);
    if (lease === undefined || isResponding(lease, clock()) || connections(name) > 0) return;
    drop(lease).catch(onWriteDeferred);
  }

  /** Resolves when the run that holds the lease has returned it, or did not in time. */
  async function askToLeave(current: Lease, host: string, confirm: () => Promise<unknown>): Promise<void> {
    const { member, runId } = current;
    let leaving = leavingByName.get(member);
    if (leaving?.runId !== runId) {
      leaving = { runId, host, gone: Promise.withResolvers() };
      leavingByName.set(member, leaving);
      onChanged(member);
    }
    const done = new AbortController();
    const late = pause(leaveMs, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
    await Promise.race([leaving.gone.promise, late]);
    done.abort();
    try {
      await confirm();
    } finally {
      if (leavingByName.get(member) === leaving) leavingByName.delete(member);
    }
  }

  /** @throws BrokerError run_held if enough claims of the member wait already. */
  async function waitFor(current: Lease, { host }: RunClaim, confirm: () => Promise<unknown>): Promise<void> {
    const { member } = current;
    const waiting = waitingByName.get(member) ?? 0;
    if (waiting >= limits.run.takingOver) refuseHeld(current);
    waitingByName.set(member, waiting + 1);
    try {
      await askToLeave(current, host, confirm);
    } finally {
      const left = (waitingByName.get(member) ?? 1) - 1;
      if (left === 0) waitingByName.delete(member);
      else waitingByName.set(member, left);
    }
  }

  async function grant(member: MemberName, claim: RunClaim): Promise<Run> {
    const now = clock();
    const current = leaseByName.get(member);
    const lease = leaseOf(member, claim, current, now);
    // Before it is on disk, so that no other claim gets in between.
    hold(lease);
    try {
      const { renewedAt: _, reach: __, ...row } = lease;
      await units.keepLease(row);
    } catch (error) {
      if (leaseByName.get(member) === lease) putBack(lease, current);
      throw error;
    }
    if (current?.runId !== claim.runId) onTaken(member);
    onChanged(member);
    return runOf(leaseByName.get(member) ?? lease, clock());
  }

  function refuseHeld({ member, host, since, agent, runId }: Lease): never {
    const at = new Date(since).toISOString();
    refuse('run_held', { member, host, since: at }, { details: { host, since, agent, runId } });
  }

  return {
    list({ name, permissions }) {
      const isManager = permissions.includes('members.manage');
      const now = clock();
      const leases = [...leaseByName.values()].filter(({ member }) => isManager || member === name);
      return { runs: leases.map((lease) => runOf(lease, now)) };
    },
    async take(member, claim, confirm) {
      const before = leaseByName.get(member);
      const leaving = leavingByName.get(member);
      if (leaving?.runId === claim.runId) refuse('run_taken_over', { member, host: leaving.host });
      if (before !== undefined && decideClaim(before, claim, clock()) === 'leaving') {
        await waitFor(before, claim, confirm);
        // In one step, because a run that finds no lease takes it again.
        if (leaseByName.get(member)?.runId === before.runId) return grant(member, claim);
      }
      // Of several that took over at once, the first one has it now.
      const present = leaseByName.get(member);
      if (present !== undefined && decideClaim(present, claim, clock()) !== 'granted') refuseHeld(present);
      return grant(member, claim);
    },
    renew(member, runId, reach) {
      const leaving = leavingByName.get(member);
      if (leaving?.runId === runId) refuse('run_taken_over', { member, host: leaving.host });
      const lease = leaseByName.get(member);
      if (lease === undefined || !z.uuid().safeParse(runId).success) refuse('unknown_run');
      if (lease.runId !== runId) refuse('run_taken_over', { member, host: lease.host });
      const now = clock();
      const stop = stopByName.get(member);
      if (stop !== undefined && stop.runId === runId && stop.until > now)
        refuse('run_stopped', { by: stop.by, member });
      const renewed = { ...lease, renewedAt: now, reach };
      hold(renewed);
      if (!isResponding(lease, now) || lease.reach !== reach) onChanged(member);
      return runOf(renewed, now);
    },
    async end(member, runId) {
      const lease = leaseByName.get(member);
      if (lease?.runId === runId) await drop(lease);
    },
    async stop(name, since, by) {
      const asked = stopByName.get(name);
      const isRepeated = asked?.runId === leaseSince(name, since).runId && asked.until > clock();
      stopByName.set(name, await ask(isRepeated ? null : 'run_stopped', name, since, by));
    },
    async interrupt(name, since, by) {
      interruptionByName.set(name, { ...(await ask('run_interrupted', name, since, by)), id: randomUUID() });
    },
    interruptionOf(name, runId) {
      const asked = interruptionByName.get(name);
      if (asked?.runId !== runId || asked.until <= clock()) return undefined;
      return { id: asked.id, by: asked.by };
    },
    isHeld: (name) => leaseByName.has(name),
    shown(name) {
      const lease = leaseByName.get(name);
      return lease === undefined || leavingByName.has(name) ? undefined : presenceOf(lease, clock());
    },
    connectionsChanged,
    forget(name) {
      const lease = leaseByName.get(name);
      if (lease !== undefined) drop(lease).catch(onWriteDeferred);
    },
    async load() {
      const now = clock();
      for (const row of await units.allLeases()) {
        const member = members.find(row.member)?.name;
        if (member === undefined) await units.forgetLease(row);
        else hold({ ...row, member, renewedAt: now });
      }
    },
  };
}
