/** Entries of the filesystem as rows. A row without a hash is a directory. */
import type Database from 'better-sqlite3';
import type { AuditValues } from '#protocol/audit.ts';
import type { FsEntry } from '#protocol/files.ts';
import { nameOf, ownerOf, parentOf, rangeBelow } from './fs-path.rules.ts';

export interface EntryRow {
  path: string;
  size: number | null;
  mime_type: string | null;
  hash: string | null;
  created_at: number;
  created_by: string;
  updated_at: number;
}

/** The content of a file. */
export interface Content {
  hash: string;
  /** Bytes. */
  size: number;
  mimeType: string;
}

/** The amount that a home holds. */
export interface Usage {
  /** Itself included. */
  entries: number;
  bytes: number;
}

export const isDirectory = (row: EntryRow): boolean => row.hash === null;

export function toEntry(row: EntryRow): FsEntry {
  return {
    path: row.path,
    name: nameOf(row.path),
    kind: isDirectory(row) ? 'directory' : 'file',
    owner: ownerOf(row.path),
    size: row.size,
    mimeType: row.mime_type,
    hash: row.hash,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
  };
}

const columns = 'path, size, mime_type, hash, created_at, created_by, updated_at';

export interface Stamp {
  /** Epoch ms. */
  at: number;
  /** A member, or `system`. */
  by: string;
}

export function fileRows(db: Database.Database) {
  const byPath = db.prepare<[string], EntryRow>(`SELECT ${columns} FROM fs_entry WHERE path = ?`);
  const children = db.prepare<[string, string, number], EntryRow>(
    `SELECT ${columns} FROM fs_entry WHERE parent = ? AND path > ? ORDER BY path LIMIT ?`,
  );
  const between = db.prepare<[string, string, number], EntryRow>(
    `SELECT ${columns} FROM fs_entry WHERE path > ? AND path < ? ORDER BY path LIMIT ?`,
  );
  const anyChild = db.prepare<[string]>('SELECT 1 FROM fs_entry WHERE parent = ? LIMIT 1');
  const insert = db.prepare<
    [string, string, number | null, string | null, string | null, number, string, number]
  >(
    `INSERT INTO fs_entry (path, parent, size, mime_type, hash, created_at, created_by, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO NOTHING`,
  );
  const setContent = db.prepare<[number, string, string, number, string]>(
    'UPDATE fs_entry SET size = ?, mime_type = ?, hash = ?, updated_at = ? WHERE path = ?',
  );
  const setPath = db.prepare<[string, string, number, string]>(
    'UPDATE fs_entry SET path = ?, parent = ?, updated_at = ? WHERE path = ?',
  );
  const hashesBelow = db.prepare<[string, string], { hash: string }>(
    'SELECT hash FROM fs_entry WHERE path > ? AND path < ? AND hash IS NOT NULL',
  );
  const filesBelow = db.prepare<[string, string], { files: number; bytes: number }>(
    'SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM fs_entry WHERE path > ? AND path < ? AND hash IS NOT NULL',
  );
  const removeOne = db.prepare<[string]>('DELETE FROM fs_entry WHERE path = ?');
  const removeBelow = db.prepare<[string, string]>('DELETE FROM fs_entry WHERE path > ? AND path < ?');
  const usage = db.prepare<[string], Usage>('SELECT entries, bytes FROM fs_usage WHERE home = ?');
  const reference = db.prepare<[string]>('SELECT 1 FROM fs_entry WHERE hash = ? LIMIT 1');

  /** The rows of a hash are its references: they are counted in place, so the count cannot drift. */
  const unreferenced = (hashes: Iterable<string>): string[] =>
    [...new Set(hashes)].filter((hash) => reference.get(hash) === undefined);

  return {
    find: (path: string): EntryRow | undefined => byPath.get(path),
    /** Ordered by name, after the one with the path `after`, which may be empty. */
    children: (directory: string, after: string, limit: number): EntryRow[] =>
      children.all(directory, after, limit),
    /** Strictly between two paths, ordered by path. */
    between: (after: string, before: string, limit: number): EntryRow[] => between.all(after, before, limit),
    isEmpty: (directory: string): boolean => anyChild.get(directory) === undefined,
    unreferenced,
    usageOf: (member: string): Usage => usage.get(member) ?? { entries: 0, bytes: 0 },
    /** Does nothing if there is already an entry. */
    addDirectory(path: string, { at, by }: Stamp): void {
      insert.run(path, parentOf(path), null, null, null, at, by, at);
    },
    addFile(path: string, { hash, size, mimeType }: Content, { at, by }: Stamp): void {
      insert.run(path, parentOf(path), size, mimeType, hash, at, by, at);
    },
    /** Grants stay (specification/files.md#grants). */
    replaceContent(path: string, { hash, size, mimeType }: Content, at: number): void {
      setContent.run(size, mimeType, hash, at, path);
    },
    /** Grants follow (specification/files.md#grants). */
    move(from: string, to: string, at: number): void {
      setPath.run(to, parentOf(to), at, from);
    },
    /** Returns what the audit log says of an entry: its content, or how much is below it. */
    contentOf(row: EntryRow): AuditValues {
      if (!isDirectory(row)) return { bytes: row.size, hash: row.hash };
      const { from, to } = rangeBelow(row.path);
      return { ...filesBelow.get(from, to) };
    },
    /**
     * Removes an entry and everything below it, with their grants. Returns the hashes that nothing refers to
     * anymore.
     */
    remove(row: EntryRow): string[] {
      const { from, to } = rangeBelow(row.path);
      const hashes = isDirectory(row) ? hashesBelow.all(from, to).map(({ hash }) => hash) : [];
      if (row.hash !== null) hashes.push(row.hash);
      removeBelow.run(from, to);
      removeOne.run(row.path);
      return unreferenced(hashes);
    },
  };
}
