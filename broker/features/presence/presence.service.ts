/** Who is connected and when each member was last seen (specification "Presence", D7). */
import type { MemberName } from '#protocol/ids.ts';
import type { Presence, Roster } from '#protocol/presence.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Members } from '../members/members.service.ts';
import type { PresenceUnits } from './presence.sqlite.ts';

export interface PresenceService {
  /** An authenticated request or stream of this member. */
  seen(name: MemberName): void;
  roster(): Roster;
  load(): Promise<void>;
  flush(): Promise<void>;
}

export interface PresenceDeps {
  units: PresenceUnits;
  clock: Clock;
  members: Members;
  connections: (name: string) => number;
}

export function createPresence({ units, clock, members, connections }: PresenceDeps): PresenceService {
  const lastSeenByName = new Map<string, number>();
  const unsaved = new Set<string>();

  const presenceOf = (name: MemberName): Presence => ({
    name,
    connected: connections(name),
    lastSeen: lastSeenByName.get(name) ?? null,
    busy: false,
  });

  return {
    seen(name) {
      lastSeenByName.set(name, clock());
      unsaved.add(name);
    },
    roster() {
      const teammates = [...members.teammates()];
      return { teammates, connected: teammates.map(({ name }) => presenceOf(name)) };
    },
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
