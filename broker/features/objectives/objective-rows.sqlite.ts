/**
 * Objectives, their watchers, and their audit log as rows, for adapters inside their own transaction
 * (specification/objectives.md#objective).
 */
import type Database from 'better-sqlite3';
import type { ObjectiveResult } from '#protocol/inbox-items.ts';
import { limits } from '#protocol/limits.ts';
import type { Objective, ObjectiveEvent, ObjectiveEventBody } from '#protocol/objective.ts';

interface ObjectiveRow {
  num: number;
  id: string;
  title: string;
  outcome: string;
  body: string;
  status: string;
  assignee: string;
  originator: string;
  block_reason: string | null;
  result: string | null;
  attachments: string;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
}

interface EventRow {
  seq: number;
  ts: number;
  actor: string;
  kind: string;
  payload: string;
}

/** An objective with its position in the order of creation. */
export interface Placed {
  num: number;
  objective: Objective;
}

/** Null for all. */
export interface Filter {
  assignee: string | null;
  originator: string | null;
  status: string | null;
}

const columns =
  'num, id, title, outcome, body, status, assignee, originator, block_reason, result, attachments, created_at, updated_at, completed_at';

export function objectiveRows(db: Database.Database) {
  const byId = db.prepare<[string], ObjectiveRow>(`SELECT ${columns} FROM objective WHERE id = ?`);
  const byNum = db.prepare<[number], ObjectiveRow>(`SELECT ${columns} FROM objective WHERE num = ?`);
  /** A statement per set of conditions, so that each has its index. */
  const pageByConditions = new Map<string, Database.Statement<(string | number)[], ObjectiveRow>>();
  for (const assignee of ['', 'assignee = ? AND '])
    for (const originator of ['', 'originator = ? AND '])
      for (const status of ['', 'status = ? AND ']) {
        const where = assignee + originator + status;
        pageByConditions.set(
          where,
          db.prepare(`SELECT ${columns} FROM objective WHERE ${where}num < ? ORDER BY num DESC LIMIT ?`),
        );
      }
  const resultsOf = db.prepare<[number, string, number, number], ObjectiveResult>(
    `SELECT id, title, assignee, substr(result, 1, ?) AS result, completed_at AS completedAt FROM objective
     WHERE originator = ? AND completed_at > ? AND status = 'done' AND assignee <> originator ORDER BY completed_at DESC LIMIT ?`,
  );
  const insert = db.prepare<ObjectiveRow>(
    `INSERT INTO objective (${columns}) VALUES (:num, :id, :title, :outcome, :body, :status, :assignee, :originator, :block_reason, :result, :attachments, :created_at, :updated_at, :completed_at)`,
  );
  const countOf = db
    .prepare<[string, string], number>('SELECT count(*) FROM objective WHERE assignee = ? AND status = ?')
    .pluck();
  const last = db.prepare<[], number>('SELECT num FROM objective ORDER BY num DESC LIMIT 1').pluck();
  const set = db.prepare<[string, string, string | null, string | null, number, number | null, number]>(
    'UPDATE objective SET status = ?, assignee = ?, block_reason = ?, result = ?, updated_at = ?, completed_at = ? WHERE num = ?',
  );
  const watchers = db
    .prepare<[number], string>('SELECT member FROM objective_watcher WHERE num = ? ORDER BY position')
    .pluck();
  const removeWatchers = db.prepare<[number]>('DELETE FROM objective_watcher WHERE num = ?');
  const addWatcher = db.prepare<[number, number, string]>(
    'INSERT INTO objective_watcher (num, position, member) VALUES (?, ?, ?)',
  );
  const watched = db
    .prepare<[string, number], number>('SELECT num FROM objective_watcher WHERE member = ? LIMIT ?')
    .pluck();
  const lastEvent = db
    .prepare<[number], number>('SELECT seq FROM objective_event WHERE num = ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const insertEvent = db.prepare<[number, number, number, string, string, string]>(
    'INSERT INTO objective_event (num, seq, ts, actor, kind, payload) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const events = db.prepare<[number, number, number], EventRow>(
    'SELECT seq, ts, actor, kind, payload FROM objective_event WHERE num = ? AND seq > ? ORDER BY seq LIMIT ?',
  );

  const placed = (row: ObjectiveRow): Placed => ({
    num: row.num,
    objective: {
      id: row.id as Objective['id'],
      title: row.title,
      outcome: row.outcome,
      body: row.body,
      status: row.status as Objective['status'],
      assignee: row.assignee,
      originator: row.originator,
      watchers: watchers.all(row.num),
      blockReason: row.block_reason,
      result: row.result,
      attachments: JSON.parse(row.attachments),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      completedAt: row.completed_at,
    },
  });

  function page(filter: Filter, before: number, limit: number): ObjectiveRow[] {
    const named = (['assignee', 'originator', 'status'] as const).filter((column) => filter[column] !== null);
    const statement = pageByConditions.get(named.map((column) => `${column} = ? AND `).join(''));
    return statement?.all(...named.map((column) => filter[column] ?? ''), before, limit) ?? [];
  }

  function writeWatchers(num: number, names: readonly string[]): void {
    for (const [position, name] of names.entries()) addWatcher.run(num, position, name);
  }

  return {
    find(id: string): Placed | undefined {
      const row = byId.get(id);
      return row && placed(row);
    },
    at(num: number): Placed | undefined {
      const row = byNum.get(num);
      return row && placed(row);
    },
    /** Newest first, before a position in the order of creation. */
    page: (filter: Filter, before: number, limit: number): Placed[] =>
      page(filter, before, limit).map(placed),
    /** Returns the results of others for the originator after an instant, epoch ms; the last one first. */
    resultsOf: (originator: string, after: number, limit: number): ObjectiveResult[] =>
      resultsOf.all(limits.inbox.result, originator, after, limit),
    /** Of one assignee. */
    countIn: (assignee: string, status: string): number => countOf.get(assignee, status) ?? 0,
    watchedBy: (member: string, limit: number): number[] => watched.all(member, limit),
    add(objective: Objective): number {
      const num = (last.get() ?? 0) + 1;
      insert.run({
        num,
        id: objective.id,
        title: objective.title,
        outcome: objective.outcome,
        body: objective.body,
        status: objective.status,
        assignee: objective.assignee,
        originator: objective.originator,
        block_reason: objective.blockReason,
        result: objective.result,
        attachments: JSON.stringify(objective.attachments),
        created_at: objective.createdAt,
        updated_at: objective.updatedAt,
        completed_at: objective.completedAt,
      });
      writeWatchers(num, objective.watchers);
      return num;
    },
    replace(num: number, before: Objective, after: Objective): void {
      const { status, assignee, blockReason, result, updatedAt, completedAt } = after;
      set.run(status, assignee, blockReason, result, updatedAt, completedAt, num);
      if (before.watchers.join() === after.watchers.join()) return;
      removeWatchers.run(num);
      writeWatchers(num, after.watchers);
    },
    /** Appends to the audit log; `seq` counts from 1 within the objective. */
    log(
      { num, objective }: Placed,
      actor: string,
      happened: readonly { ts: number; body: ObjectiveEventBody }[],
    ): ObjectiveEvent[] {
      let seq = lastEvent.get(num) ?? 0;
      return happened.map(({ ts, body }) => {
        seq += 1;
        insertEvent.run(num, seq, ts, actor, body.kind, JSON.stringify(body.payload));
        return { objectiveId: objective.id, seq, ts, actor, ...body };
      });
    },
    lastEventOf: (num: number): number => lastEvent.get(num) ?? 0,
    /** Oldest first, after a position in the log. */
    eventsOf: ({ num, objective }: Placed, after: number, limit: number): ObjectiveEvent[] =>
      events.all(num, after, limit).map(
        ({ payload, ...row }) =>
          // The stored payload was written as an ObjectiveEventBody.
          ({ objectiveId: objective.id, ...row, payload: JSON.parse(payload) }) as ObjectiveEvent,
      ),
  };
}
