import { closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyTo, type PageCommit, packed, unpacked } from './page-commit.ts';
import { openWal, type WalReader } from './wal-commits.ts';

let folder: string;
let file: string;
let db: Database.Database;
let wal: WalReader;
/** The file that gets every commit that was read, and nothing else. */
let copy: number;
let copyFile: string;

/** Opens a store with a table, and a copy that has what the store's file holds now. */
function open(pageBytes = 4096): void {
  file = join(folder, 'main.db');
  db = new Database(file);
  db.pragma(`page_size = ${pageBytes}`);
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  db.pragma('wal_autocheckpoint = 0');
  db.exec('CREATE TABLE text (id INTEGER PRIMARY KEY, body TEXT); CREATE INDEX by_body ON text (body)');
  db.pragma('wal_checkpoint(TRUNCATE)');
  copyFile = join(folder, 'copy.db');
  copyFileSync(file, copyFile);
  copy = openSync(copyFile, 'r+');
  wal = openWal(file);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-wal-'));
});
afterEach(() => {
  wal.close();
  closeSync(copy);
  db.close();
  rmSync(folder, { recursive: true });
});

/** Passes on what was committed, as it travels. */
function ship(): PageCommit | null {
  const commit = wal.next();
  if (commit !== null) applyTo(copy, unpacked(packed(commit)));
  return commit;
}

/** Returns the content of the store's file after its log was folded into it. */
function folded(): Buffer {
  db.pragma('wal_checkpoint(TRUNCATE)');
  return readFileSync(file);
}

/** The same numbers in each run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const insert = (body: string) => db.prepare('INSERT INTO text (body) VALUES (?)').run(body);

describe.each([4096, 16_384])('a copy of a store with pages of %i bytes', (pageBytes) => {
  beforeEach(() => open(pageBytes));

  it.each([1, 2, 3, 4])('is equal after random transactions, round %i', (seed) => {
    const number = numbersFrom(seed);
    // So small that SQLite writes frames of transactions that are not committed yet.
    db.pragma('cache_size = 4');
    for (let round = 0; round < 150; round += 1) {
      db.exec('BEGIN IMMEDIATE');
      for (let n = number(40); n >= 0; n -= 1) insert('x'.repeat(number(number(4) === 0 ? 20_000 : 200)));
      if (number(3) === 0) db.prepare('DELETE FROM text WHERE id % ? = 0').run(2 + number(5));
      db.exec(number(4) === 0 ? 'ROLLBACK' : 'COMMIT');
      if (number(8) === 0) db.pragma(`incremental_vacuum(${number(50)})`);
      if (number(5) > 0) ship();
      if (number(10) > 0) continue;
      ship();
      db.pragma(number(2) === 0 ? 'wal_checkpoint(PASSIVE)' : 'wal_checkpoint(TRUNCATE)');
    }
    ship();
    expect(readFileSync(copyFile).equals(folded())).toBe(true);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  });
});

describe('what a writer committed', () => {
  beforeEach(() => open());

  it('is nothing before it writes, and nothing twice', () => {
    expect(wal.next()).toBeNull();
    insert('a');
    expect(wal.next()?.changed.size).toBeGreaterThan(0);
    expect(wal.next()).toBeNull();
  });

  it('does not contain a transaction that was rolled back after SQLite wrote some of its frames', () => {
    db.pragma('cache_size = 4');
    db.exec('BEGIN IMMEDIATE');
    for (let n = 0; n < 200; n += 1) insert('x'.repeat(2000));
    db.exec('ROLLBACK');
    expect(wal.next()).toBeNull();
    insert('kept');
    ship();
    expect(readFileSync(copyFile).equals(folded())).toBe(true);
  });

  it('ends before a frame that does not continue the log, although it claims to be a commit', () => {
    insert('a');
    ship();
    const end = readFileSync(`${file}-wal`).length;
    const last = readFileSync(`${file}-wal`).subarray(end - 24 - 4096);
    const log = openSync(`${file}-wal`, 'r+');
    // Such a frame stays behind when a commit fails halfway and a shorter one takes its place.
    writeSync(log, last, 0, last.length, end);
    closeSync(log);
    expect(wal.next()).toBeNull();
    insert('b');
    ship();
    expect(readFileSync(copyFile).equals(folded())).toBe(true);
  });

  it('leaves out pages that the same transaction removed', () => {
    db.exec('BEGIN');
    for (let n = 0; n < 300; n += 1) insert('x'.repeat(2000));
    db.exec('COMMIT');
    ship();
    db.exec('BEGIN');
    db.exec("UPDATE text SET body = body || 'y'");
    db.exec('DELETE FROM text');
    db.pragma('incremental_vacuum');
    db.exec('COMMIT');
    const commit = ship();
    expect(Math.max(...(commit?.changed.keys() ?? []))).toBeLessThanOrEqual(commit?.pages ?? 0);
    expect(readFileSync(copyFile).equals(folded())).toBe(true);
  });

  it('is refused when the header of the log is damaged', () => {
    insert('a');
    const log = openSync(`${file}-wal`, 'r+');
    writeSync(log, Buffer.from([0xff]), 0, 1, 9);
    closeSync(log);
    expect(() => wal.next()).toThrow("the header of SQLite's log is damaged");
  });
});

describe('a packed commit', () => {
  beforeEach(() => open());

  it.each([
    ['is cut short', (body: Buffer) => body.subarray(0, body.length - 10)],
    ['is something else', () => Buffer.from('something else')],
  ])('that %s is refused', (_, change) => {
    insert('a');
    const commit = wal.next();
    if (commit === null) throw new Error('nothing was committed');
    expect(() => unpacked(change(packed(commit)))).toThrow();
  });
});
