/** The reports of a team's machines in the database, for operators; nothing else depends on them. */
import { type DatabaseConnection, openConnection } from './database-connection.ts';
import { leaseMs } from './page-log-statements.ts';
import type { StandbySettings } from './standby-settings.ts';

/** A machine that stands by says so each second. */
const everyMs = 1000;
const patience = { connectMs: 5000, requestMs: 5000 };
/** A machine that was not seen for so long is forgotten. */
const forgotten = '30 days';

const statements = {
  report: `INSERT INTO muster.machine (name, version, is_complete, addresses, seen)
      VALUES ($1, $2, $3, $4, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET version = excluded.version, is_complete = excluded.is_complete,
      addresses = excluded.addresses, seen = excluded.seen`,
  forget: `DELETE FROM muster.machine WHERE seen < clock_timestamp() - interval '${forgotten}'`,
  active: `SELECT holder, epoch, extract(epoch FROM taken) * 1000 AS since,
      extract(epoch FROM clock_timestamp() - nullif(beat.seen, '-infinity')) * 1000 AS age
    FROM muster.lease JOIN muster.beat USING (one, epoch) WHERE epoch > 0`,
  machines: `SELECT name, version, is_complete, extract(epoch FROM clock_timestamp() - seen) * 1000 AS age
    FROM muster.machine ORDER BY name`,
  bytes: `SELECT coalesce(sum(pg_total_relation_size(format('muster.%I', tablename)::regclass)), 0) AS bytes
    FROM pg_tables WHERE schemaname = 'muster'`,
  isPrepared: "SELECT to_regclass('muster.machine') IS NOT NULL AS is",
};

export interface MachineReport {
  /** Whether this machine has everything. Said to others while this is called at least each few seconds. */
  note(isComplete: boolean): void;
  /** Resolves when nothing is under way. */
  end(): Promise<void>;
}

/**
 * Reports as long as the database answers; a report that fails is left out. `addresses` returns where this machine listens
 * for HTTPS now.
 */
export function createMachineReport(
  settings: StandbySettings,
  version: string,
  addresses: () => readonly string[],
): MachineReport {
  let connection: DatabaseConnection | null = null;
  let underWay: Promise<void> | null = null;
  let saidAt = Number.NEGATIVE_INFINITY;

  async function report(isComplete: boolean): Promise<void> {
    try {
      if (connection === null) {
        connection = await openConnection(settings, patience);
        await connection.client.query(statements.forget);
      }
      const values = [settings.name, version, isComplete, addresses()];
      await connection.client.query(statements.report, values);
    } catch {
      connection?.end();
      connection = null;
    } finally {
      underWay = null;
    }
  }

  return {
    note(isComplete) {
      const now = performance.now();
      if (underWay !== null || now - saidAt < everyMs) return;
      saidAt = now;
      underWay = report(isComplete);
    },
    async end() {
      await underWay;
      connection?.end();
    },
  };
}

export interface StandbyStatus {
  /** Null if no broker has ever been the active one. `age`: of the last confirmation; null after a planned stop. Ms. */
  active: { name: string; term: number; since: number; age: number | null; isConfirmed: boolean } | null;
  /** Those that stand by, or did. `age`: since they said so, ms. */
  machines: { name: string; version: string; isComplete: boolean; age: number }[];
  /** The space that the team takes in the database. */
  bytes: number;
}

/** Null: no broker has used this database. @throws Error if the database cannot be reached. */
export async function readStandbyStatus(url: string): Promise<StandbyStatus | null> {
  const { client, end } = await openConnection({ url, name: 'status' }, patience);
  try {
    const rows = async (statement: string): Promise<Record<string, unknown>[]> =>
      (await client.query<Record<string, unknown>>(statement)).rows;
    if ((await rows(statements.isPrepared))[0]?.is !== true) return null;
    const [active] = await rows(statements.active);
    const age = active?.age == null ? null : Math.round(Number(active.age));
    return {
      active:
        active === undefined
          ? null
          : {
              name: String(active.holder),
              term: Number(active.epoch),
              since: Math.round(Number(active.since)),
              age,
              isConfirmed: age !== null && age < leaseMs,
            },
      machines: (await rows(statements.machines)).map((row) => ({
        name: String(row.name),
        version: String(row.version),
        isComplete: row.is_complete === true,
        age: Math.round(Number(row.age)),
      })),
      bytes: Number((await rows(statements.bytes))[0]?.bytes),
    };
  } finally {
    end();
  }
}
