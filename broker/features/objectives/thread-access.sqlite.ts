/** Who is in an objective's thread (specification "Objectives" rule 3), for adapters inside their own transaction. */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';

export interface ThreadReader {
  name: string;
  /** Holders of members.manage are in every thread. */
  isManager: boolean;
}

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

  function isIn(thread: Principals, { name, isManager }: ThreadReader): boolean {
    return (
      isManager ||
      thread.assignee === name ||
      thread.originator === name ||
      isWatcher.get(thread.num, name) !== undefined
    );
  }

  return {
    /** False for an objective that is not there. */
    isMember(objectiveId: string, reader: ThreadReader): boolean {
      const thread = byId.get(objectiveId);
      return thread !== undefined && isIn(thread, reader);
    },
    /** @throws BrokerError not_found, forbidden. */
    admit(objectiveId: string, reader: ThreadReader): void {
      const thread = byId.get(objectiveId) ?? refuse('not_found', 'there is no such objective');
      if (!isIn(thread, reader))
        refuse('forbidden', 'the thread is for the objective’s originator, assignee, watchers and managers');
    },
  };
}
