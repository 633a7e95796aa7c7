/** Who is in an objective's thread (specification "Objectives" rule 3), for adapters inside their own transaction. */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import type { Reader } from '../../runtime/actor.ts';

interface Principals {
  num: number;
  assignee: string;
  originator: string;
}

export function threadAccess(db: Database.Database) {
  const byId = db.prepare<[string], Principals>(
    'SELECT num, assignee, originator FROM objective WHERE id = ?',
  );
  const isWatcher = db
    .prepare<[number, string], number>('SELECT 1 FROM objective_watcher WHERE num = ? AND member = ?')
    .pluck();
  const watchers = db
    .prepare<[number], string>('SELECT member FROM objective_watcher WHERE num = ? ORDER BY position')
    .pluck();

  function isIn(thread: Principals, { name, isManager }: Reader): boolean {
    return (
      isManager ||
      thread.assignee === name ||
      thread.originator === name ||
      isWatcher.get(thread.num, name) !== undefined
    );
  }

  return {
    /** False for an objective that is not there. */
    isMember(objectiveId: string, reader: Reader): boolean {
      const thread = byId.get(objectiveId);
      return thread !== undefined && isIn(thread, reader);
    },
    /** Originator, assignee and watchers; the managers are in it besides. */
    membersOf(objectiveId: string): string[] {
      const thread = byId.get(objectiveId);
      if (thread === undefined) return [];
      return [...new Set([thread.originator, thread.assignee, ...watchers.all(thread.num)])];
    },
    /** @throws BrokerError not_found, forbidden. */
    admit(objectiveId: string, reader: Reader): void {
      const thread = byId.get(objectiveId) ?? refuse('not_found', 'there is no such objective');
      if (!isIn(thread, reader))
        refuse('forbidden', 'the thread is for the objective’s originator, assignee, watchers and managers');
    },
  };
}
