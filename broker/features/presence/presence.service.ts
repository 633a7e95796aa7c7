/** Who is connected, and when each member was last seen (specification/presence.md). */
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { Presence, Roster } from '#protocol/presence.ts';
import type { RunPresence } from '#protocol/run.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Members } from '../members/members.service.ts';
import type { PresenceUnits } from './presence.sqlite.ts';

export interface PresenceService {
  /** An authenticated request or stream of this member. */
  seen(name: MemberName): void;
  /** Busy lasts until the next report, or 30 s (limits.busyMs). */
  reportBusy(name: MemberName, busy: boolean): void;
  /** The member was removed. */
  forget(name: MemberName): void;
  roster(): Roster;
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

export function createPresence(deps: PresenceDeps): PresenceService {
  const { units, clock, members, connections, runOf, onChanged } = deps;
  const lastSeenByName = new Map<string, number>();
  /** Until when, with the timer that reports the end. */
  const busyByName = new Map<string, { until: number; end: NodeJS.Timeout }>();
  const unsaved = new Set<string>();

  function presenceOf(name: MemberName): Presence {
    const run = runOf(name);
    return {
      name,
      connected: connections(name),
      lastSeen: lastSeenByName.get(name) ?? null,
      busy: (busyByName.get(name)?.until ?? 0) > clock(),
      ...(run !== undefined && { run }),
    };
  }

  function announce(name: string): void {
    const member = members.find(name);
    if (member !== undefined) onChanged(presenceOf(member.name));
  }

  function endBusy(name: MemberName): void {
    const report = busyByName.get(name);
    if (report === undefined) return;
    clearTimeout(report.end);
    busyByName.delete(name);
    announce(name);
  }

  return {
    reportBusy(name, busy) {
      if (!busy) {
        endBusy(name);
        return;
      }
      const before = busyByName.get(name);
      clearTimeout(before?.end);
      const end = setTimeout(() => endBusy(name), limits.busyMs).unref();
      busyByName.set(name, { until: clock() + limits.busyMs, end });
      if (before === undefined) announce(name);
    },
    seen(name) {
      lastSeenByName.set(name, clock());
      unsaved.add(name);
    },
    forget(name) {
      endBusy(name);
      lastSeenByName.delete(name);
      unsaved.delete(name);
    },
    roster() {
      const teammates = [...members.teammates()];
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
