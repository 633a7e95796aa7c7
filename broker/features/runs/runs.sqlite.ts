/** The leases of runs, stored so that a restart of the broker does not free them for a second run. */
import type Database from 'better-sqlite3';
import type { AsyncUnits } from '../../storage/units.ts';
import { kindRows } from '../kinds/kinds.sqlite.ts';

export interface LeaseRow {
  member: string;
  runId: string;
  host: string;
  agent: string;
  pid: number | null;
  since: number;
}

export function runUnits(db: Database.Database) {
  const all = db.prepare<[], LeaseRow>(
    'SELECT member, run_id AS runId, host, agent, pid, since FROM run_lease',
  );
  const keep = db.prepare<LeaseRow>(
    `INSERT INTO run_lease (member, run_id, host, agent, pid, since)
     VALUES (:member, :runId, :host, :agent, :pid, :since)
     ON CONFLICT (member) DO UPDATE SET run_id = excluded.run_id, host = excluded.host,
       agent = excluded.agent, pid = excluded.pid, since = excluded.since`,
  );
  const forget = db.prepare<[string, string]>('DELETE FROM run_lease WHERE member = ? AND run_id = ?');
  const kinds = kindRows(db);
  return {
    reads: {},
    upkeep: { allLeases: (): LeaseRow[] => all.all() },
    writes: {
      keepLease: (row: LeaseRow): void => {
        keep.run(row);
        kinds.ran(row.member, row.since);
      },
      forgetLease: ({ member, runId }: { member: string; runId: string }): void =>
        void forget.run(member, runId),
    },
  };
}
export type RunUnits = AsyncUnits<typeof runUnits>;
