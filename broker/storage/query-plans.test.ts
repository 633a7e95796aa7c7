import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { PlannedStatement } from './testing/recording-store-thread.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

/**
 * Tables that grow with members, not with use, or have a fixed bound; sqlite_sequence has a row per table, and removal one per rule of
 * the run in progress.
 */
const small = [
  'token',
  'member_state',
  'member_kind',
  'run_lease',
  'held',
  'store_identity',
  'general_member',
  'sqlite_sequence',
  'removal',
];
/** Partial indexes of what is still to be done, which stay short however their table grows. */
const toDo = ['retired_name_unsettled'];
/** Statements that run once, at start. */
const atStartOnly: string[] = ['SELECT name, content FROM audited_member'];

const recorder = new URL('./testing/recording-store-thread.ts', import.meta.url);

/** Every statement of the store's adapters, as the broker's own thread prepares them. */
async function plannedStatements(store: string): Promise<PlannedStatement[]> {
  const { port1, port2 } = new MessageChannel();
  const settings = { store, file: ':memory:', role: 'writer' };
  const worker = new Worker(recorder, { workerData: { ...settings, report: port2 }, transferList: [port2] });
  const exited = once(worker, 'exit');
  const [[statements], [first]] = (await Promise.all([once(port1, 'message'), once(worker, 'message')])) as [
    [PlannedStatement[]],
    [FromThread],
  ];
  expect(first).toHaveProperty('ready');
  worker.postMessage('close' satisfies ToThread);
  await exited;
  return statements;
}

/** Returns the table under each name that a plan may use for it. */
function tableByAlias(sql: string): Map<string, string> {
  const words = sql.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/gi);
  return new Map(
    [...words].flatMap(([, table = '', alias = table]) => [
      [table, table],
      [alias, table],
    ]),
  );
}

/** Not tables: lists of values in a statement, and JSON arrays that are passed to it. */
const isList = (line: string): boolean => /^SCAN (?:\d+ )?CONSTANT ROW|^SCAN json_each\b/.test(line);

/** The full-text index is searched for words, and walked from a position on. */
const isFullText = (line: string): boolean => /^SCAN \w+_(?:text|words) VIRTUAL TABLE INDEX \d+:M/.test(line);

/** Returns plan lines that read a whole table or index, or sort what an index does not order. */
function faults({ sql, plan }: PlannedStatement): string[] {
  const tables = tableByAlias(sql);
  if ([...tables.values()].every((table) => small.includes(table))) return [];
  return plan.filter((line) => {
    if (isList(line) || isFullText(line) || toDo.some((index) => line.endsWith(` INDEX ${index}`)))
      return false;
    const scanned = /^SCAN (\w+)/.exec(line)?.[1];
    if (scanned === undefined) return /USE TEMP B-TREE|AUTOMATIC/.test(line);
    return !small.includes(tables.get(scanned) ?? scanned) && !isInOrderAndLimited(sql, line);
  });
}

/** `ORDER BY <key> LIMIT n` walks from one end and stops: a scan in name only. */
function isInOrderAndLimited(sql: string, line: string): boolean {
  return (
    /\bORDER BY\b.+\bLIMIT\b/is.test(sql) &&
    !/\bWHERE\b|\bJOIN\b|\bGROUP BY\b/i.test(sql) &&
    line.startsWith('SCAN')
  );
}

describe.each(['main', 'activity'])('the statements of the %s store', (store) => {
  it('read no growing table from end to end, and sort nothing that an index orders', async () => {
    const statements = await plannedStatements(store);
    expect(statements.length).toBeGreaterThan(0);
    const found = statements
      .filter(({ sql }) => !atStartOnly.includes(sql))
      .flatMap((statement) => faults(statement).map((line) => `${line} — ${statement.sql}`));
    expect(found).toEqual([]);
  });
});

describe('the check itself', () => {
  const of = (sql: string, ...plan: string[]) => faults({ sql, plan });
  it.each([
    ['SELECT * FROM message WHERE body = ?', 'SCAN message'],
    ['SELECT * FROM message AS m WHERE m.body = ?', 'SCAN m'],
    ['DELETE FROM outbox WHERE payload = ?', 'SCAN outbox'],
    ['SELECT * FROM message WHERE body = ? ORDER BY seq LIMIT 1', 'SCAN message'],
    ['SELECT * FROM token t JOIN message m ON m.sender = t.member', 'SCAN m'],
    ['SELECT * FROM message WHERE scope = ? ORDER BY body', 'USE TEMP B-TREE FOR ORDER BY'],
    ['SELECT count(*) FROM activity', 'SCAN activity USING COVERING INDEX activity_by_member'],
  ])('finds %s', (sql, line) => {
    expect(of(sql, line)).toEqual([line]);
  });

  it.each([
    ['SELECT id FROM token', 'SCAN token'],
    [
      'SELECT * FROM retired_name WHERE settled_at IS NULL',
      'SCAN retired_name USING INDEX retired_name_unsettled',
    ],
    ['SELECT * FROM token ORDER BY created_at', 'USE TEMP B-TREE FOR ORDER BY'],
    ['SELECT * FROM outbox ORDER BY id LIMIT ?', 'SCAN outbox'],
    ['SELECT * FROM message WHERE seq = ?', 'SEARCH message USING INTEGER PRIMARY KEY (rowid=?)'],
  ])('accepts %s', (sql, line) => {
    expect(of(sql, line)).toEqual([]);
  });
});
