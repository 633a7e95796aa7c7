/**
 * One lease per member: at most one run of a member works at a time, on any machine
 * (specification/presence.md#runs).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { Run, RunClaim, RunList, RunPresence } from '#protocol/run.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Expiries } from '../../runtime/expiries.ts';
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
  renew(member: MemberName, runId: string): Run;
  /** Returns the lease; does nothing if the run does not hold it. */
  end(member: MemberName, runId: string): Promise<void>;
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
  connections: (name: string) => number;
  /** The run to show for this member changed. */
  onChanged: (name: MemberName) => void;
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

export function createRuns(deps: RunsDeps): Runs {
  const { units, clock, expiries, members, connections, onChanged, onWriteDeferred } = deps;
  const { leaveMs = limits.run.leaveMs } = deps;
  const leaseByName = new Map<string, Lease>();
  const leavingByName = new Map<string, Leaving>();
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

  function drop({ member, runId }: Lease): Promise<void> {
    leaseByName.delete(member);
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
      const { renewedAt: _, ...row } = lease;
      await units.keepLease(row);
    } catch (error) {
      if (leaseByName.get(member) === lease) putBack(lease, current);
      throw error;
    }
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
    renew(member, runId) {
      const leaving = leavingByName.get(member);
      if (leaving?.runId === runId) refuse('run_taken_over', { member, host: leaving.host });
      const lease = leaseByName.get(member);
      if (lease === undefined) refuse('unknown_run');
      if (lease.runId !== runId) refuse('run_taken_over', { member, host: lease.host });
      const now = clock();
      const wasResponding = isResponding(lease, now);
      hold({ ...lease, renewedAt: now });
      if (!wasResponding) onChanged(member);
      return runOf({ ...lease, renewedAt: now }, now);
    },
    async end(member, runId) {
      const lease = leaseByName.get(member);
      if (lease?.runId === runId) await drop(lease);
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
