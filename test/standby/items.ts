/** What the file of a test store holds. */
import Database from 'better-sqlite3';
import { expect } from 'vitest';

/** Returns the names in order. The file must be whole, and nothing may have it open for writing. */
export function namesIn(file: string): string[] {
  const db = new Database(file, { readonly: true });
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    return db
      .prepare<[], { name: string }>('SELECT name FROM item ORDER BY id')
      .all()
      .map(({ name }) => name);
  } finally {
    db.close();
  }
}
