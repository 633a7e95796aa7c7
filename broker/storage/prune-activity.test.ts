import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeRows } from '../testing/store-rows.ts';
import { activityLayout, activityMigrations } from './activity.migrations.ts';
import { pruneActivity } from './prune-activity.ts';
import { openDatabase } from './sqlite/open-database.ts';
import { openForTest } from './testing/test-store.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-prune-'));
  file = join(folder, 'activity.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function fill(
  rows: number,
  { migrations = activityMigrations, layout = activityLayout, event = '{}' } = {},
): void {
  const db = openDatabase(file, 'writer', migrations, layout);
  const insert = db.prepare(
    "INSERT INTO activity (member, ts, kind, created_at, event) VALUES ('ben', 1, 'opaque_http', 1, ?)",
  );
  db.transaction(() => {
    for (let n = 0; n < rows; n++) insert.run(event);
  })();
  db.close();
}

const [idle, asked, taken, over] = [0, 1, 2, 3];

const keptMs = 60;

/**
 * It takes the file whenever it is asked, as a broker does with a large batch, and keeps it longer than a
 * step may take. `state[1]` is a clock on which nothing else takes time.
 */
const busyWriter = `
  const { sqlite, file, state } = require('node:worker_threads').workerData;
  const db = new (require(sqlite))(file, { timeout: 5000 });
  for (;;) {
    Atomics.wait(state, 0, ${idle});
    if (Atomics.load(state, 0) === ${over}) break;
    db.exec('BEGIN IMMEDIATE');
    Atomics.store(state, 0, ${taken});
    Atomics.notify(state, 0);
    Atomics.wait(state, 0, ${taken}, ${keptMs});
    Atomics.add(state, 1, ${keptMs});
    db.exec('ROLLBACK');
    Atomics.compareExchange(state, 0, ${taken}, ${idle});
  }
  db.close();
`;

test('does not shrink its steps because it waits for a busy broker', async () => {
  fill(1500);
  const state = new Int32Array(new SharedArrayBuffer(8));
  const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
  const writer = new Worker(busyWriter, { eval: true, workerData: { sqlite, file, state } });
  const ended = once(writer, 'exit');
  const tell = (what: number): void => {
    Atomics.store(state, 0, what);
    Atomics.notify(state, 0);
  };
  const keepBusy = (): void => {
    tell(asked);
    Atomics.wait(state, 0, asked);
  };
  const after: number[] = [];
  try {
    keepBusy();
    const { rows } = await pruneActivity({
      file,
      before: 2,
      onStep(done) {
        after.push(done.rows);
        if (done.rows < 1500) keepBusy();
      },
      stopwatch: () => Atomics.load(state, 1),
    });
    expect(rows).toBe(1500);
    // Each is twice the previous one.
    expect(after.slice(0, 4)).toEqual([100, 300, 700, 1500]);
  } finally {
    tell(over);
    await ended;
  }
});

test('does not shrink its steps because the disk is slow', async () => {
  fill(1500);
  // Each commit writes the log, and takes 40 ms on this clock; nothing else takes time.
  let [now, written] = [0, 0n];
  const stopwatch = (): number => {
    const present = statSync(`${file}-wal`, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
    if (present !== written) now += 40;
    written = present;
    return now;
  };
  const after: number[] = [];
  await pruneActivity({ file, before: 2, stopwatch, onStep: ({ rows }) => after.push(rows) });
  expect(after.slice(0, 4)).toEqual([100, 300, 700, 1500]);
});

test('prunes a store that no broker of this version has opened', async () => {
  fill(3, { migrations: activityMigrations.slice(0, 3) });
  expect(await pruneActivity({ file, before: 2 })).toMatchObject({ rows: 3 });
});

const pageBytesOf = () =>
  storeRows<{ page_size: number }>(file, 'SELECT page_size FROM pragma_page_size')[0]?.page_size;

test('does not end at a row that a clock stamped in the future, and leaves that row', async () => {
  fill(3);
  const db = openDatabase(file, 'writer', activityMigrations, activityLayout);
  const setTime = db.prepare('UPDATE activity SET created_at = ? WHERE id = ?');
  setTime.run(9000, 1);
  setTime.run(60, 3);
  db.close();
  expect(await pruneActivity({ file, before: 50, now: 100 })).toMatchObject({ rows: 1 });
  expect(storeRows(file, 'SELECT id FROM activity ORDER BY id')).toEqual([{ id: 1 }, { id: 3 }]);
});

test('a new store has pages that fit events, and a store of an earlier version keeps its own', async () => {
  const threadModule = new URL('../store-thread.ts', import.meta.url);
  const serve = async () => (await openForTest<object>({ store: 'activity', file, threadModule })).close();
  await serve();
  expect(pageBytesOf()).toBe(16_384);
  rmSync(file);
  fill(3, { layout: { canShrink: true } });
  await serve();
  expect(pageBytesOf()).toBe(4096);
  expect(storeRows(file, 'SELECT id FROM activity')).toHaveLength(3);
});

test.each([{ canShrink: true }, activityLayout])('shrinks a store with %o', async (layout) => {
  fill(1000, { layout, event: `"${'x'.repeat(2200)}"` });
  const [before, pageBytes] = [statSync(file).size, pageBytesOf()];
  const { rows, bytes, isShrunk } = await pruneActivity({ file, before: 2 });
  expect({ rows, isShrunk }).toEqual({ rows: 1000, isShrunk: true });
  expect(statSync(file).size).toBe(before - bytes);
  expect(bytes).toBeGreaterThan(1000 * 2200);
  expect(pageBytesOf()).toBe(pageBytes);
});
