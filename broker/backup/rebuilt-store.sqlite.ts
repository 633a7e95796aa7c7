/** Copies the rows of a damaged store into a new file, whose indexes are thereby new (specification/backup.md#repair). */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { codeOf } from '#platform/error-text.ts';
import { indexDamage } from '../features/search/index-marks.rules.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { pageBytesIn, partsOf } from '../storage/sqlite/file-faults.ts';
import { type FileLayout, openDatabase } from '../storage/sqlite/open-database.ts';
import { closeGaps } from './cut-requests.sqlite.ts';
import { readableRows, type Table } from './readable-rows.sqlite.ts';

export interface RebuildRequest {
  /** The store, for messages. */
  file: string;
  from: string;
  /** A path at which nothing is. */
  to: string;
  migrations: readonly string[];
  layout: FileLayout;
  /** Goes around what cannot be read, instead of throwing. */
  isSalvage: boolean;
  onRows: (done: number) => void;
}

/** Rows of one table. `lost` is null if it is not known. */
interface Rows {
  kept: number;
  lost: number | null;
}

/** Messages or records of activity. */
export interface Rebuilt extends Rows {
  /** Other tables that lost rows. */
  otherTables: Record<string, number | null>;
}

interface Column {
  name: string;
  type: string;
  pk: number;
  hidden: number;
}

const quoted = (name: string): string => `"${name}"`;
const rowsPerReport = 1000;

function tableOf(db: Database.Database, name: string): Table {
  const columns = db
    .prepare<[string], Column>('SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)')
    .all(name);
  const hasRowid = db
    .prepare<[string], number>("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'")
    .pluck()
    .get(name);
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const stored = columns.filter(({ hidden }) => hidden === 0).map((column) => quoted(column.name));
  const isRowidNamed = keys.length === 1 && keys[0]?.type === 'INTEGER';
  return {
    name: quoted(name),
    columns: hasRowid === 0 && !isRowidNamed ? ['rowid', ...stored] : stored,
    key: hasRowid === 0 && !isRowidNamed ? ['rowid'] : keys.map((column) => quoted(column.name)),
  };
}

/** Returns how many rows were inserted. A salvage goes around rows that break a rule, such as one whose JSON is damaged. */
function insertOne(insert: Database.Statement, row: unknown[], isSalvage: boolean): number {
  try {
    return insert.run(...row).changes;
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (isSalvage && (code === 'SQLITE_ERROR' || code.startsWith('SQLITE_CONSTRAINT'))) return 0;
    throw error;
  }
}

/** Rows of a salvage may come from both ends, and may break a rule by chance. */
function copyTable(
  old: Database.Database,
  db: Database.Database,
  table: Table,
  request: RebuildRequest,
): Rows {
  const { name, columns } = table;
  db.exec(`DELETE FROM ${name}`);
  const insert = db.prepare(
    `INSERT ${request.isSalvage ? 'OR IGNORE ' : ''}INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let [kept, found] = [0, 0];
  const rows = readableRows(old, table, request.isSalvage);
  let next = rows.next();
  for (; next.done !== true; next = rows.next()) {
    found += 1;
    kept += insertOne(insert, next.value, request.isSalvage);
    if (found % rowsPerReport === 0) request.onRows(found);
  }
  const isComplete = next.value;
  const expected = expectedRows(old, db, table);
  if (isComplete) return { kept, lost: Math.max(found, expected ?? 0) - kept };
  return { kept, lost: expected === null ? null : Math.max(0, expected - kept) };
}

/**
 * Returns the largest number of rows that the table or one of its indexes has, null if none can be read. A table of
 * which an old page came back lacks rows that its indexes still have, although no page is damaged.
 */
function expectedRows(old: Database.Database, db: Database.Database, { name }: Table): number | null {
  const indexes = db
    .prepare<[string], string>('SELECT name FROM pragma_index_list(?) WHERE partial = 0')
    .pluck()
    .all(name.slice(1, -1));
  const counts = ['NOT INDEXED', ...indexes.map((index) => `INDEXED BY ${quoted(index)}`)].flatMap(
    (source) => {
      try {
        // SQLite chooses the index of a count(*) itself.
        return old.prepare<[], number>(`SELECT total(1) FROM ${name} ${source}`).pluck().get() ?? [];
      } catch {
        return [];
      }
    },
  );
  return counts.length === 0 ? null : Math.max(...counts);
}

/** The full-text index is empty. The broker fills it from the messages, the newest first. */
function beginIndexAnew(db: Database.Database): void {
  db.prepare('DELETE FROM index_progress WHERE what = ?').run(indexDamage);
  db.exec(`UPDATE index_progress SET up_to = 0 WHERE what = 'objective';
    UPDATE index_progress SET up_to = (SELECT up_to FROM index_progress WHERE what = 'message') WHERE what = 'message_again'`);
}

/** Returns the tables of the store; none for a salvage whose schema cannot be read. */
function tablesOf(old: Database.Database, isSalvage: boolean): string[] {
  try {
    return partsOf(old).tables.filter((table) => !table.startsWith('sqlite_'));
  } catch (error) {
    if (!isSalvage) throw error;
    return [];
  }
}

/** A header that is overwritten does not say which version wrote the store. @throws StartUpError. */
function refuseUnknown(
  old: Database.Database,
  db: Database.Database,
  { file, isSalvage }: RebuildRequest,
): void {
  const known = new Set(partsOf(db).tables);
  for (const name of tablesOf(old, isSalvage)) {
    const columns = known.has(name) ? new Set(tableOf(db, name).columns) : null;
    const unknown =
      columns === null ? name : tableOf(old, name).columns.find((column) => !columns.has(column));
    if (unknown === undefined) continue;
    throw new StartUpError(
      `"${file}" has a table or a column, "${unknown.replaceAll('"', '')}", that this version of Muster does not know; start the version that wrote it, or restore an older backup`,
    );
  }
}

const headerBytes = 100;
const magic = 'SQLite format 3\0';

/** If the header of `file` is overwritten, gives it that of `model`, which has the same layout. */
function healHeader(file: string, model: string): void {
  const [broken, whole] = [openSync(file, 'r+'), openSync(model, 'r')];
  try {
    const header = Buffer.alloc(headerBytes);
    readSync(broken, header, 0, headerBytes, 0);
    const isOverwritten = header.toString('latin1', 0, magic.length) !== magic;
    if (isOverwritten) readSync(whole, header, 0, headerBytes, 0);
    else if (!forgetCutPages(file, broken, header)) return;
    // The number of pages and the list of free ones: without them, SQLite goes by the length of the file.
    header.fill(0, 28, 40);
    writeSync(broken, header, 0, headerBytes, 0);
  } finally {
    closeSync(broken);
    closeSync(whole);
  }
}

/** Returns whether the end of the file is cut off. Then a page of which a part is left goes as well. */
function forgetCutPages(file: string, handle: number, header: Buffer): boolean {
  const [pageBytes, pages] = [pageBytesIn(header), header.readUInt32BE(28)];
  const { size } = fstatSync(handle);
  const left = Math.max(1, Math.floor(size / pageBytes));
  if (size >= pages * pageBytes) return false;
  try {
    // SQLite refuses a schema with a root beyond the last page.
    ftruncateSync(handle, left * pageBytes);
    ftruncateSync(handle, pages * pageBytes);
    const db = new Database(file, { fileMustExist: true });
    db.unsafeMode(true);
    db.exec(
      `PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE rootpage > ${left}; PRAGMA wal_checkpoint(TRUNCATE)`,
    );
    db.close();
  } catch {
    // Then nothing can be read.
  }
  readSync(handle, header, 0, headerBytes, 0);
  ftruncateSync(handle, left * pageBytes);
  return true;
}

function versionOf(file: string, newest: number): number {
  const db = new Database(file, { fileMustExist: true });
  try {
    return Number(db.pragma('user_version', { simple: true })) || newest;
  } finally {
    db.close();
  }
}

function summaryOf(copied: ReadonlyMap<string, Rows>): Rebuilt {
  const [main, ...others] = [...copied].sort(([name]) =>
    name === 'message' || name === 'activity' ? -1 : 1,
  );
  const losses = others.filter(([, { lost }]) => lost !== 0).map(([name, { lost }]) => [name, lost] as const);
  return { ...(main?.[1] ?? { kept: 0, lost: null }), otherTables: Object.fromEntries(losses) };
}

/**
 * Without a salvage, the new file has every row. `from` may be changed; it is a copy.
 * @throws SqliteError for what cannot be read, or, in a salvage, if the file cannot be opened; StartUpError for a
 *   store of a newer version.
 */
export function rebuildStore(request: RebuildRequest): Rebuilt {
  const { from, to, migrations, layout, isSalvage } = request;
  if (isSalvage) {
    openDatabase(to, 'writer', migrations, layout).close();
    healHeader(from, to);
  }
  const db = openDatabase(to, 'writer', migrations.slice(0, versionOf(from, migrations.length)), layout);
  const old = new Database(from, { fileMustExist: true });
  try {
    old.pragma('trusted_schema = OFF');
    db.pragma('foreign_keys = OFF');
    refuseUnknown(old, db, request);
    const triggers = db
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
      )
      .all();
    const copied = new Map<string, Rows>();
    db.transaction(() => {
      for (const { name } of triggers) db.exec(`DROP TRIGGER ${quoted(name)}`);
      const names = partsOf(db).tables.filter((name) => name !== 'sqlite_sequence');
      for (const name of names) copied.set(name, copyTable(old, db, tableOf(db, name), request));
      // Inserted rows have moved the sequences.
      copySequences(old, db, isSalvage);
      if (isSalvage && names.includes('piece')) closeGaps(db);
      for (const { sql } of triggers) db.exec(sql);
      if (names.includes('index_progress')) beginIndexAnew(db);
    })();
    return summaryOf(copied);
  } finally {
    old.close();
    db.close();
  }
}

function copySequences(old: Database.Database, db: Database.Database, isSalvage: boolean): void {
  const insert = db.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?');
  const add = db.prepare(
    'INSERT INTO sqlite_sequence (name, seq) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)',
  );
  try {
    for (const { name, seq } of old
      .prepare<[], { name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence')
      .all()) {
      add.run(name, seq, name);
      insert.run(seq, name);
    }
  } catch (error) {
    if (!isSalvage) throw error;
  }
}
