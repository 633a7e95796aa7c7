/**
 * Runs the broker's own store thread and reports every statement that the adapters prepared, with its query
 * plan.
 */
import { type MessagePort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

export interface PlannedStatement {
  sql: string;
  /** The lines of EXPLAIN QUERY PLAN. */
  plan: string[];
}

const { prepare } = Database.prototype;
const prepared: PlannedStatement[] = [];

/** An unbound parameter has no value for planning; how many there are turns out by trying. */
function plan(db: Database.Database, sql: string): string[] {
  const statement = prepare.call(db, `EXPLAIN QUERY PLAN ${sql}`) as Database.Statement<
    unknown[],
    { detail: string }
  >;
  const named = Object.fromEntries([...sql.matchAll(/[:@$](\w+)/g)].map(([, name]) => [name, null]));
  for (let count = 0; ; count++) {
    const unnamed = Array.from({ length: count }, () => null);
    try {
      return statement
        .all(...unnamed, ...(Object.keys(named).length > 0 ? [named] : []))
        .map(({ detail }) => detail);
    } catch (error) {
      if (!(error instanceof RangeError) || count > 50) throw error;
    }
  }
}

Database.prototype.prepare = function record(this: Database.Database, sql: string) {
  if (/^\s*(SELECT|UPDATE|DELETE|INSERT|REPLACE|WITH)\b/i.test(sql))
    prepared.push({ sql, plan: plan(this, sql) });
  return prepare.call(this, sql);
} as typeof prepare;

const { report }: { report: MessagePort } = workerData;
await import('../../store-thread.ts');
report.postMessage(prepared);
report.close();
