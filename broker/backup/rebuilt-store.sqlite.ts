/** Copies the rows of a damaged store into a new file, whose indexes are thereby new (specification/backup.md#repair). */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { indexDamage } from '../features/search/index-marks.rules.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { partsOf } from '../storage/sqlite/file-faults.ts';
import { type FileLayout, openDatabase } from '../storage/sqlite/open-database.ts';

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

export interface Rebuilt {
  kept: number;
  /** Null if that is not known. */
  lost: number | null;
}

interface Table {
  name: string;
  columns: string[];
  key: string[];
  hasRowid: boolean;
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
    key: hasRowid === 0 ? ['rowid'] : keys.map((column) => quoted(column.name)),
    hasRowid: hasRowid === 0,
  };
}

/** The rows from both ends up to what cannot be read. */
function* readable(db: Database.Database, { name, columns, key }: Table, isSalvage: boolean) {
  const select = (direction: 'ASC' | 'DESC') =>
    db
      .prepare<[], unknown[]>(
        `SELECT ${columns.join(', ')} FROM ${name} NOT INDEXED ORDER BY ${key.map((column) => `${column} ${direction}`).join(', ')}`,
      )
      .raw()
      .safeIntegers();
  for (const direction of ['ASC', 'DESC'] as const) {
    try {
      yield* select(direction).iterate();
      return;
    } catch (error) {
      if (!isSalvage || !(error instanceof Database.SqliteError)) throw error;
    }
  }
}

/** Rows of a salvage may come from both ends, and may break a rule by chance. */
function copyTable(
  old: Database.Database,
  db: Database.Database,
  table: Table,
  request: RebuildRequest,
): number {
  const { name, columns } = table;
  db.exec(`DELETE FROM ${name}`);
  const insert = db.prepare(
    `INSERT ${request.isSalvage ? 'OR IGNORE ' : ''}INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let kept = 0;
  for (const row of readable(old, table, request.isSalvage)) {
    kept += insert.run(...row).changes;
    if (kept % rowsPerReport === 0) request.onRows(kept);
  }
  return kept;
}

/** An index counts rows that the table has lost. */
function countIn(db: Database.Database, table: string): number | null {
  try {
    return db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? null;
  } catch {
    return null;
  }
}

/** The full-text index is empty. The broker fills it from the messages, the newest first. */
function beginIndexAnew(db: Database.Database): void {
  db.prepare('DELETE FROM index_progress WHERE what = ?').run(indexDamage);
  db.exec(`UPDATE index_progress SET up_to = 0 WHERE what = 'objective';
    UPDATE index_progress SET up_to = (SELECT up_to FROM index_progress WHERE what = 'message') WHERE what = 'message_again'`);
}

/** A header that is overwritten does not say which version wrote the store. @throws StartUpError. */
function refuseUnknown(old: Database.Database, db: Database.Database, file: string): void {
  const known = new Set(partsOf(db).tables);
  for (const name of partsOf(old).tables.filter((table) => !table.startsWith('sqlite_'))) {
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
    if (header.toString('latin1', 0, magic.length) === magic) return;
    readSync(whole, header, 0, headerBytes, 0);
    // The number of pages and the list of free ones: without them, SQLite goes by the length of the file.
    header.fill(0, 28, 40);
    writeSync(broken, header, 0, headerBytes, 0);
  } finally {
    closeSync(broken);
    closeSync(whole);
  }
}

function versionOf(file: string, newest: number): number {
  const db = new Database(file, { fileMustExist: true });
  try {
    return Number(db.pragma('user_version', { simple: true })) || newest;
  } finally {
    db.close();
  }
}

/**
 * Without a salvage, the new file has every row. `from` may be changed; it is a copy.
 * @throws SqliteError for what cannot be read, or, in a salvage, if the schema cannot be read; StartUpError for a
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
    refuseUnknown(old, db, request.file);
    const triggers = db
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
      )
      .all();
    let kept = 0;
    db.transaction(() => {
      for (const { name } of triggers) db.exec(`DROP TRIGGER ${quoted(name)}`);
      const names = partsOf(db).tables.filter((name) => name !== 'sqlite_sequence');
      for (const name of names) {
        const copied = copyTable(old, db, tableOf(db, name), request);
        if (name === 'activity' || name === 'message') kept = copied;
      }
      // Inserted rows have moved the sequences.
      copySequences(old, db, isSalvage);
      for (const { sql } of triggers) db.exec(sql);
      if (names.includes('index_progress')) beginIndexAnew(db);
    })();
    const before = isSalvage ? countIn(old, 'activity') : kept;
    return { kept, lost: before === null ? null : Math.max(0, before - kept) };
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
