/** The members with notifications, read from a main store beside its broker (specification/web-push.md#a-new-key). */
import Database from 'better-sqlite3';

/** @throws SqliteError if the file is missing or is not a main store. */
export function countSubscribedMembers(file: string): number {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return db
      .prepare<[], number>('SELECT count(DISTINCT member) FROM push_subscription')
      .pluck()
      .get() as number;
  } finally {
    db.close();
  }
}
