/** The faults that SQLite finds in a file, and whether they can be rebuilt from the rest of the file. */
import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { reasonOf } from '#platform/error-text.ts';

export interface FileFaults {
  /** Of indexes and full-text indexes, and of pages that nothing uses. A line each. */
  rebuildable: string[];
  /** Of tables and of the file itself. */
  lasting: string[];
}

interface SchemaObject {
  type: string;
  name: string;
  rootpage: number;
  sql: string | null;
}

const aboutIndex =
  /\bin(?:verted)? index |\bfrom index |\bof index |^fts5: |FTS5 table |^Page \d+: never used/;

interface Parts {
  /** The pages with the roots of indexes, and of the tables in which full-text indexes keep themselves. */
  rebuildableTrees: Set<number>;
  fullText: string[];
  tables: string[];
}

/** @throws SqliteError if the schema cannot be read. */
export function partsOf(db: Database.Database): Parts {
  const objects = db.prepare<[], SchemaObject>('SELECT type, name, rootpage, sql FROM sqlite_schema').all();
  const isFullText = ({ sql }: SchemaObject): boolean =>
    /^CREATE VIRTUAL TABLE .* USING fts5/is.test(sql ?? '');
  const fullText = objects.filter(isFullText).map(({ name }) => name);
  const isPartOfFullText = ({ name }: SchemaObject): boolean =>
    fullText.some((index) => name === index || name.startsWith(`${index}_`));
  const rebuildable = objects.filter((object) => object.type === 'index' || isPartOfFullText(object));
  return {
    rebuildableTrees: new Set(rebuildable.map(({ rootpage }) => rootpage)),
    fullText,
    tables: objects
      .filter((object) => object.type === 'table' && !isPartOfFullText(object))
      .map(({ name }) => name),
  };
}

type Check = 'quick_check' | 'integrity_check';

/** `argument`: a table, or the most faults. */
function linesOf(db: Database.Database, check: Check, argument: string): string[] {
  const rows = db.prepare<[], string>(`PRAGMA ${check}(${argument})`).pluck().all();
  return rows.flatMap((row) => row.split('\n')).filter((line) => line !== 'ok' && !line.startsWith('***'));
}

function isReadable(db: Database.Database, table: string): boolean {
  try {
    for (const _ of db.prepare(`SELECT * FROM "${table}" NOT INDEXED`).raw().iterate());
    return true;
  } catch {
    return false;
  }
}

/** SQLite names only the page of these faults. */
const ofPage = /^(?:Multiple uses for byte|Fragmentation of) .*page (\d+)$/;

/** Whether a table has the page. Trees of indexes, which may be damaged, are not read. */
function isPageOfTable(db: Database.Database, page: number, { tables }: Parts): boolean {
  const find = db.prepare<[string, number]>('SELECT 1 FROM dbstat WHERE name = ? AND pageno = ?');
  try {
    return ['sqlite_schema', ...tables].some((table) => find.get(table, page) !== undefined);
  } catch {
    return true;
  }
}

/** An index that cannot be read ends the check of its table, and a full-text index that of the file. */
function faultsByTable(db: Database.Database, check: Check, { tables, fullText }: Parts): string[] {
  const faultsOf = (table: string, prefix: () => string): string[] => {
    try {
      return linesOf(db, check, `'${table}'`);
    } catch (error) {
      return [`${prefix()} table "${table}": ${reasonOf(error)}`];
    }
  };
  return [
    ...tables.flatMap((table) => faultsOf(table, () => (isReadable(db, table) ? 'in index of' : 'in'))),
    ...fullText.flatMap((table) => faultsOf(table, () => 'fts5:')),
  ];
}

/** The size of a page, from the first 18 bytes of a file or more. */
export const pageBytesIn = (header: Buffer): number =>
  header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);

/** The number of pages of the file, from its first 32 bytes or more (https://www.sqlite.org/fileformat2.html). */
export const pagesIn = (header: Buffer): number => header.readUInt32BE(28);

/** A part of the last page is missing. SQLite reads zeros there. A checkpoint that was interrupted has the rest in the log. */
function isCut({ name, memory }: Database.Database): boolean {
  if (memory || (statSync(`${realpathSync(name)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    return false;
  const file = openSync(name, 'r');
  try {
    const header = Buffer.alloc(18);
    return readSync(file, header) > 0 && fstatSync(file).size % pageBytesIn(header) !== 0;
  } finally {
    closeSync(file);
  }
}

/** `quick_check` does not compare indexes with their tables. @throws SqliteError if the schema cannot be read. */
export function fileFaults(db: Database.Database, check: Check): FileFaults {
  let lines: string[];
  try {
    lines = linesOf(db, check, '100');
  } catch {
    lines = faultsByTable(db, check, partsOf(db));
  }
  if (isCut(db)) lines.unshift('the file ends within a page');
  if (lines.length === 0) return { rebuildable: [], lasting: [] };
  const parts = partsOf(db);
  const isRebuildable = (line: string): boolean => {
    const tree = /^Tree (\d+)\b/.exec(line)?.[1];
    if (tree !== undefined) return parts.rebuildableTrees.has(Number(tree));
    const page = ofPage.exec(line)?.[1];
    return page === undefined ? aboutIndex.test(line) : !isPageOfTable(db, Number(page), parts);
  };
  return {
    rebuildable: lines.filter(isRebuildable),
    lasting: lines.filter((line) => !isRebuildable(line)),
  };
}
