/** Tracks who is connected, and when each member was last seen (specification/presence.md). */
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { MemberPageQuery } from '#protocol/member.ts';
import type { DetailedRefusal, ModelRefusal, ModelReport } from '#protocol/model-refusal.ts';
import type { Presence, Roster } from '#protocol/presence.ts';
import type { RunPresence } from '#protocol/run.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Members } from '../members/members.service.ts';
import { createExpiringReports } from './expiring-reports.ts';
import type { PresenceUnits } from './presence.sqlite.ts';

export interface PresenceService {
  /** An authenticated request or stream of this member. */
  seen(name: MemberName): void;
  /** Busy lasts until the next report, or 30 s (limits.busyMs). */
  reportBusy(name: MemberName, busy: boolean): void;
  /** A refusal lasts until the next report, or 45 s (limits.modelReportMs). */
  reportModel(name: MemberName, report: ModelReport): void;
  /** Returns why the model of this member's agent refuses; undefined if nothing says that it does. */
  refusalOf(name: string): DetailedRefusal | undefined;
  /** A run has the lease: what an earlier one reported no longer counts. */
  runBegan(name: MemberName): void;
  /** The member was removed. */
  forget(name: MemberName): void;
  /** Everybody, or a page by name. */
  roster(page: MemberPageQuery): Roster;
  /** Announces a member whose number of connections or whose run changed; does nothing if there is no such member. */
  announce(name: string): void;
  load(): Promise<void>;
  flush(): Promise<void>;
}

export interface PresenceDeps {
  units: PresenceUnits;
  clock: Clock;
  members: Members;
  connections: (name: string) => number;
  /** The run that holds the member's lease. */
  runOf: (name: MemberName) => RunPresence | undefined;
  /**
   * Called when a member's connections or its run change, and when it becomes busy or stops being busy, also by itself.
   */
  onChanged: (presence: Presence) => void;
}

const withoutDetail = ({ detail: _, ...refusal }: DetailedRefusal): ModelRefusal => refusal;

export function createPresence(deps: PresenceDeps): PresenceService {
  const { units, clock, members, connections, runOf, onChanged } = deps;
  const lastSeenByName = new Map<string, number>();
  const unsaved = new Set<string>();

  const busy = createExpiringReports<true>({
    lifetimeMs: limits.busyMs,
    clock,
    isSame: () => true,
    onChanged: announce,
  });
  const refusals = createExpiringReports<DetailedRefusal>({
    lifetimeMs: limits.modelReportMs,
    clock,
    isSame: (before, after) => before.cause === after.cause && before.until === after.until,
    onChanged: announce,
  });

  function presenceOf(name: MemberName): Presence {
    const refusal = refusals.of(name);
    const run = runOf(name);
    return {
      name,
      connected: connections(name),
      lastSeen: lastSeenByName.get(name) ?? null,
      busy: busy.of(name) ?? false,
      ...(refusal !== undefined && { model: withoutDetail(refusal) }),
      ...(run !== undefined && { run }),
    };
  }

  function announce(name: string): void {
    const member = members.find(name);
    if (member !== undefined) onChanged(presenceOf(member.name));
  }

  return {
    reportBusy(name, isBusy) {
      if (isBusy) busy.set(name, true);
      else busy.clear(name);
    },
    reportModel(name, report) {
      if (report.state === 'working') {
        refusals.clear(name);
        return;
      }
      const { state: _, ...reported } = report;
      const known = refusals.of(name);
      const since = known?.cause === reported.cause ? known.since : clock();
      refusals.set(name, { ...reported, since });
    },
    refusalOf(name) {
      const member = members.find(name);
      return member && refusals.of(member.name);
    },
    seen(name) {
      lastSeenByName.set(name, clock());
      unsaved.add(name);
    },
    runBegan(name) {
      busy.clear(name);
      refusals.clear(name);
    },
    forget(name) {
      busy.clear(name);
      refusals.clear(name);
      lastSeenByName.delete(name);
      unsaved.delete(name);
    },
    roster(page) {
      const teammates = members.page(page).map(members.teammate);
      return { teammates, connected: teammates.map(({ name }) => presenceOf(name)) };
    },
    announce,
    async load() {
      for (const { member, at } of await units.allLastSeen()) lastSeenByName.set(member, at);
    },
    async flush() {
      const seen = [...unsaved].map((member) => ({ member, at: lastSeenByName.get(member) ?? 0 }));
      unsaved.clear();
      if (seen.length > 0) await units.keepLastSeen(seen);
    },
  };
}
