import type Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { mainMigrations } from '../storage/main.migrations.ts';
import { openDatabase } from '../storage/sqlite/open-database.ts';

export interface MainDatabase {
  db: Database.Database;
  /** Applies the migrations that were left out. */
  migrate(): void;
}

/** Opens a main store in memory, for tests of its SQL; without the migrations from the one on that has `before` in it. */
export function openMainDatabase(before?: string): MainDatabase {
  const applied = before === undefined ? -1 : mainMigrations.findIndex((sql) => sql.includes(before));
  const db = openDatabase(
    ':memory:',
    'writer',
    mainMigrations.slice(0, applied === -1 ? undefined : applied),
  );
  onTestFinished(() => void db.close());
  return {
    db,
    migrate() {
      if (applied !== -1) for (const sql of mainMigrations.slice(applied)) db.exec(sql);
    },
  };
}
