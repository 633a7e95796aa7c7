/** The content of the file of a test store, and of its log. */
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { applyTo, unpacked } from '../../broker/standby/page-commit.ts';
import type { PageLog } from '../../broker/standby/page-log.ts';

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

/** Writes what the log of "test" holds behind `from` into a file; returns the last position. */
export async function copyFrom(log: PageLog, path: string, from = 0): Promise<number> {
  closeSync(openSync(path, 'a+'));
  const copy = openSync(path, 'r+');
  const folded = (await log.completeLogs()).get('test')?.folded ?? 0;
  let pos = from < folded ? (await log.pagesAfter('test', from, (part) => applyTo(copy, part))).pos : from;
  for (
    let read = await log.entriesAfter('test', pos);
    read.length > 0;
    read = await log.entriesAfter('test', pos)
  )
    for (const entry of read) {
      applyTo(copy, unpacked(entry.body));
      pos = entry.pos;
    }
  closeSync(copy);
  return pos;
}
