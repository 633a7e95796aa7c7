/** When each member was last seen, stored so that a restart does not lose it. */
import type Database from 'better-sqlite3';
import type { AsyncUnits } from '../../storage/units.ts';

export interface LastSeen {
  member: string;
  at: number;
}

/** For the unit that removes a member. */
export function presenceRows(db: Database.Database) {
  const removeOf = db.prepare<[string]>('DELETE FROM member_state WHERE member = ?');
  return { removeOf: (member: string): void => void removeOf.run(member) };
}

export function presenceUnits(db: Database.Database) {
  const all = db.prepare<[], LastSeen>('SELECT member, last_seen AS at FROM member_state');
  const keep = db.prepare<LastSeen>(
    `INSERT INTO member_state (member, last_seen) VALUES (:member, :at)
     ON CONFLICT (member) DO UPDATE SET last_seen = excluded.last_seen`,
  );
  return {
    reads: {},
    upkeep: { allLastSeen: (): LastSeen[] => all.all() },
    writes: {
      keepLastSeen: (input: LastSeen[]): void => {
        for (const seen of input) keep.run(seen);
      },
    },
  };
}
export type PresenceUnits = AsyncUnits<typeof presenceUnits>;
