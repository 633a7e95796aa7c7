/**
 * Whether a store has the tables, indexes, and triggers of its version, and nothing else. A trigger or a view that
 * somebody put into a store would run with every read and write of the broker.
 */
import type Database from 'better-sqlite3';
import { openDatabase } from '../storage/sqlite/open-database.ts';
import { schemaText } from './schema-text.rules.ts';

export interface SchemaFaults {
  /** A sentence per object that is not Muster's, or is another one under its name. */
  foreign: string[];
  missing: string[];
}

interface SchemaObject {
  type: string;
  name: string;
  sql: string | null;
}

const maxFaults = 3;

/** A store of an earlier version lacks the newest tables until the next start. */
export const hasTable = (db: Database.Database, table: string): boolean =>
  db.prepare<[string]>("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !==
  undefined;

function objectsOf(db: Database.Database): Map<string, string> {
  const rows = db.prepare<[], SchemaObject>('SELECT type, name, sql FROM sqlite_schema').all();
  return new Map(
    rows.map(({ type, name, sql }) => [`${type} ${JSON.stringify(name)}`, schemaText(sql ?? '')]),
  );
}

/** Returns what the first `version` migrations make. */
function expectedObjects(migrations: readonly string[], version: number): Map<string, string> {
  const db = openDatabase(':memory:', 'writer', migrations.slice(0, version));
  try {
    return objectsOf(db);
  } finally {
    db.close();
  }
}

/** `name`: of the store, for the sentences. @throws SqliteError for a schema that cannot be read. */
export function schemaFaults(
  name: string,
  db: Database.Database,
  migrations: readonly string[],
): SchemaFaults {
  const expected = expectedObjects(migrations, Number(db.pragma('user_version', { simple: true })));
  const found = objectsOf(db);
  const isForeign = (object: string): boolean => expected.get(object) !== found.get(object);
  // Views and triggers first, because they explain the others.
  const foreign = [...found.keys()].filter(isForeign).sort().reverse();
  const missing = [...expected.keys()].filter((object) => !found.has(object));
  return {
    foreign: foreign
      .slice(0, maxFaults)
      .map((object) => `${name} has the ${object}, which does not belong to it`),
    missing: missing.slice(0, maxFaults).map((object) => `${name} lacks the ${object}`),
  };
}
