/** Damages the file of a closed store, for tests. */
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { valueIn } from './bare-stores.ts';

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

/** Returns where the leaf pages of a table are in the file of a store with pages of 4 KiB. */
export function leavesOf(file: string, table: string): number[] {
  const pages = readFileSync(file);
  const root = Number(valueIn(file, `SELECT rootpage FROM sqlite_schema WHERE name = '${table}'`));
  const [interior, childOfLast, cells] = [5, 8, 12];
  const below = (page: number): number[] => {
    const at = (page - 1) * 4096;
    if (pages[at] !== interior) return [at];
    const count = pages.readUInt16BE(at + 3);
    const children = Array.from({ length: count }, (_, n) =>
      pages.readUInt32BE(at + pages.readUInt16BE(at + cells + 2 * n)),
    );
    return [...children, pages.readUInt32BE(at + childOfLast)].flatMap(below);
  };
  return below(root);
}
