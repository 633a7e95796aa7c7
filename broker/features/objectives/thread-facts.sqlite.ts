/**
 * The roles of members in an objective, for adapters inside their own transaction. Facts only: `features/scopes` decides what follows from
 * them.
 */
import type Database from 'better-sqlite3';

export interface Thread {
  originator: string;
  assignee: string;
  watchers: string[];
}

interface Principals {
  num: number;
  assignee: string;
  originator: string;
}

export function threadFacts(db: Database.Database) {
  const byId = db.prepare<[string], Principals>(
    'SELECT num, assignee, originator FROM objective WHERE id = ?',
  );
  const isWatcher = db
    .prepare<[number, string], number>('SELECT 1 FROM objective_watcher WHERE num = ? AND member = ?')
    .pluck();
  const watchers = db
    .prepare<[number], string>('SELECT member FROM objective_watcher WHERE num = ? ORDER BY position')
    .pluck();

  return {
    /** Undefined if there is no such objective. */
    find(objectiveId: string): Thread | undefined {
      const found = byId.get(objectiveId);
      if (found === undefined) return undefined;
      const { num, originator, assignee } = found;
      return { originator, assignee, watchers: watchers.all(num) };
    },
    /** Returns the member's roles in the objective, or undefined if there is no such objective. */
    rolesOf(
      objectiveId: string,
      member: string,
    ): { isAssignee: boolean; isOriginator: boolean; isWatcher: boolean } | undefined {
      const found = byId.get(objectiveId);
      if (found === undefined) return undefined;
      return {
        isAssignee: found.assignee === member,
        isOriginator: found.originator === member,
        isWatcher: isWatcher.get(found.num, member) !== undefined,
      };
    },
  };
}

/**
 * The ids of the objectives that a member is assigned to, started, or watches, of those that meet an SQL `condition` on `objective`.
 * An id occurs once for each of these roles.
 */
export function objectivesOfMember(db: Database.Database, condition: string): (member: string) => string[] {
  const statements = [
    `SELECT id FROM objective WHERE assignee = ? AND ${condition}`,
    `SELECT id FROM objective WHERE originator = ? AND ${condition}`,
    `SELECT objective.id FROM objective_watcher JOIN objective USING (num) WHERE member = ? AND ${condition}`,
  ].map((sql) => db.prepare<[string], string>(sql).pluck());
  return (member) => statements.flatMap((statement) => statement.all(member));
}
