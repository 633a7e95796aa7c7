/** Fills the audit log of a store's file while no broker runs: more than requests of a test could. */
import type { AuditHead } from '#protocol/audit.ts';
import { auditTrail } from '../features/audit/audit-trail.sqlite.ts';
import { mainMigrations } from '../storage/main.migrations.ts';
import { openDatabase } from '../storage/sqlite/open-database.ts';

/** @param at epoch ms. Returns the newest one. */
export function appendAuditRecords(file: string, count: number, at: number): AuditHead {
  const db = openDatabase(file, 'writer', mainMigrations);
  const trail = auditTrail(db);
  db.transaction(() => {
    for (let n = 0; n < count; n++)
      trail.append({
        at,
        kind: 'login_failed',
        via: 'request',
        member: null,
        credential: null,
        address: null,
        subject: `${n}`,
        before: null,
        after: { count: 1 },
      });
  })();
  const head = trail.head();
  db.close();
  return head;
}
