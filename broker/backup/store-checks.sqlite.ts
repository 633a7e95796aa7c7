/** Whether two stores hold what they should (specification/backup.md#checks). */
import type Database from 'better-sqlite3';
import type { AuditRecord } from '#protocol/audit.ts';
import { auditTrail } from '../features/audit/audit-trail.sqlite.ts';
import { type BrokenChain, continueChain } from '../security/audit-chain.ts';
import { activityMigrations } from '../storage/activity.migrations.ts';
import { mainMigrations } from '../storage/main.migrations.ts';
import { hasTable } from './snapshot.sqlite.ts';

const maxFaults = 3;

function integrityFaults(name: string, db: Database.Database): string[] {
  const rows = db.prepare<[], string>(`PRAGMA integrity_check(${maxFaults})`).pluck().all();
  const broken = rows.filter((row) => row !== 'ok').map((row) => `${name}: ${row}`);
  const lost = db.prepare('PRAGMA foreign_key_check').all().length;
  return lost === 0 ? broken : [...broken, `${name}: ${lost} rows refer to rows that do not exist`];
}

function versionFaults(name: string, db: Database.Database, known: number): string[] {
  const version = Number(db.pragma('user_version', { simple: true }));
  return version > known ? [`${name} was written by a newer version of Muster. Install that version`] : [];
}

/** Computes the chain of the audit log again. */
function auditFaults(main: Database.Database): string[] {
  if (!hasTable(main, 'audit')) return [];
  const trail = auditTrail(main);
  let head = trail.first();
  const check = (record: AuditRecord): BrokenChain | null => {
    const next = continueChain(head, [record]);
    if ('fault' in next) return next;
    head = next;
    return null;
  };
  for (const record of trail.forward(head.seq)) {
    const broken = check(record);
    if (broken !== null) return [`audit log: ${broken.fault}`];
  }
  return [];
}

/** Returns a sentence per fault; none if both stores are as they should be. */
export function storeFaults(main: Database.Database, activity: Database.Database): string[] {
  const newer = [
    ...versionFaults('the main store', main, mainMigrations.length),
    ...versionFaults('the activity store', activity, activityMigrations.length),
  ];
  if (newer.length > 0) return newer;
  return [
    ...integrityFaults('the main store', main),
    ...integrityFaults('the activity store', activity),
    ...auditFaults(main),
  ];
}
