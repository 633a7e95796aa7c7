/**
 * Reads a store's file beside a broker, or changes it: for what no request can show or cause.
 */
import Database from 'better-sqlite3';

export function storeRows<T>(file: string, sql: string): T[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare<[], T>(sql).all();
  } finally {
    db.close();
  }
}

export function changeStore(file: string, sql: string): void {
  const db = new Database(file);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}
