/** Whether two stores hold what they should (specification/backup.md#checks). */
import Database from 'better-sqlite3';
import { reasonOf } from '#platform/error-text.ts';
import { auditTrail } from '../features/audit/audit-trail.sqlite.ts';
import { continueChain } from '../security/audit-chain.ts';
import { activityMigrations } from '../storage/activity.migrations.ts';
import { mainMigrations } from '../storage/main.migrations.ts';
import { hasTable, type SchemaFaults, schemaFaults } from './store-schema.sqlite.ts';

const maxFaults = 3;

function integrityFaults(name: string, db: Database.Database): string[] {
  const rows = db.prepare<[], string>(`PRAGMA integrity_check(${maxFaults})`).pluck().all();
  const broken = rows.filter((row) => row !== 'ok').map((row) => `${name}: ${row}`);
  const lost = db.prepare('PRAGMA foreign_key_check').all().length;
  return lost === 0 ? broken : [...broken, `${name}: ${lost} rows refer to rows that do not exist`];
}

function versionFaults(name: string, db: Database.Database, known: number): string[] {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version < 1) return [`${name} is not a store of Muster`];
  return version > known ? [`${name} was written by a newer version of Muster. Install that version`] : [];
}

/** Computes the chain of the audit log again. */
function auditFaults(main: Database.Database): string[] {
  if (!hasTable(main, 'audit')) return [];
  try {
    return chainFaults(auditTrail(main));
  } catch (error) {
    // The floor is missing, or values of a record are no JSON.
    if (error instanceof Database.SqliteError) throw error;
    return [`audit log: ${reasonOf(error)}`];
  }
}

function chainFaults(trail: ReturnType<typeof auditTrail>): string[] {
  let head = trail.first();
  for (const record of trail.forward(head.seq)) {
    const next = continueChain(head, [record]);
    if ('fault' in next) return [`audit log: ${next.fault}`];
    head = next;
  }
  return [];
}

/** Of stores of this version or of an earlier one. */
const schemasOf = (main: Database.Database, activity: Database.Database): SchemaFaults[] => [
  schemaFaults('the main store', main, mainMigrations),
  schemaFaults('the activity store', activity, activityMigrations),
];

/**
 * Returns why nothing else must be read from the stores, a sentence each: a newer version, or something in a schema
 * that is not Muster's. None if they may be read.
 */
export function untrustedFaults(main: Database.Database, activity: Database.Database): string[] {
  const newer = [
    ...versionFaults('the main store', main, mainMigrations.length),
    ...versionFaults('the activity store', activity, activityMigrations.length),
  ];
  return newer.length > 0 ? newer : schemasOf(main, activity).flatMap(({ foreign }) => foreign);
}

/** Returns a sentence per fault of stores that may be read; none if both are as they should be. */
export const storeFaults = (main: Database.Database, activity: Database.Database): string[] => [
  ...integrityFaults('the main store', main),
  ...integrityFaults('the activity store', activity),
  ...auditFaults(main),
  ...schemasOf(main, activity).flatMap(({ missing }) => missing),
];
