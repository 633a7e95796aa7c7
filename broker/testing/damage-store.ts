/** Damages the file of a closed store, for tests. */
import { open } from 'node:fs/promises';
import Database from 'better-sqlite3';

/** Runs `sql` with the right to change what SQLite keeps for itself. */
export function changeInside(file: string, sql: string): void {
  const db = new Database(file);
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  db.exec(sql);
  db.close();
}

export async function overwrite(file: string, at: number, bytes: number): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(bytes, 0xff), 0, bytes, at);
  await handle.close();
}

/** Overwrites the first page of a table or an index. */
export async function overwriteRoot(file: string, name: string): Promise<void> {
  const db = new Database(file, { readonly: true });
  const root = db
    .prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .pluck()
    .get(name);
  const size = Number(db.pragma('page_size', { simple: true }));
  db.close();
  await overwrite(file, ((root ?? 1) - 1) * size, size);
}
