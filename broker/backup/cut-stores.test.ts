/** Repairs of activity stores whose file lost its end (specification/backup.md#repair). */
import { copyFile, mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStores, inLog, valueIn, valuesIn } from '../testing/bare-stores.ts';
import { changeInside } from '../testing/damage-store.ts';
import { repairStores } from './repair-stores.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-'));
  file = join(folder, 'activity.db');
  createStores(folder);
});
afterEach(() => rm(folder, { recursive: true }));

const records = 2000;
const pageBytes = 16 * 1024;

/** `id` is an expression of n, which counts from 1. Every 50th record has pages of its own for its event. */
const fill = (id: string): string =>
  `WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < ${records})
   INSERT INTO activity (id, member, ts, kind, created_at, event)
   SELECT ${id}, 'ben', n, 'tool_call', n, '{"text":"' || n || hex(zeroblob(iif(n % 50 = 0, 20000, 100))) || '"}' FROM count`;

function repair() {
  const [, activity] = repairStores({
    mainPath: join(folder, 'main.db'),
    activityPath: file,
    isCheck: false,
    now: 0,
    onRows: () => undefined,
  });
  if (activity === undefined) throw new Error('no report of the activity store');
  return activity;
}

const eventsIn = (path: string): Map<number, string> =>
  valuesIn(path, 'SELECT id, event FROM activity NOT INDEXED ORDER BY id');

/** Keeps a part of the file. */
const cut = async (share: number, more = 0): Promise<void> =>
  truncate(file, Math.floor(((await stat(file)).size * share) / pageBytes) * pageBytes + more);

/** Every record of the new store is as it was, and the damaged file is complete. Returns how many there are. */
async function expectTrue(before: Map<number, string>, damaged: Buffer): Promise<number> {
  const { state, rebuilt, damagedFile } = repair();
  expect(state).toBe('rebuilt');
  expect(await readFile(damagedFile ?? '')).toEqual(damaged);
  const after = eventsIn(file);
  expect(rebuilt?.kept).toBe(after.size);
  for (const [id, event] of after) expect(event === before.get(id), `record ${id}`).toBe(true);
  if (rebuilt?.lost !== null) expect(rebuilt?.lost).toBe(before.size - after.size);
  expect(repair().state).toBe('whole');
  return after.size;
}

describe('the repair of an activity store that is cut off', () => {
  it.for([
    [0.25, 0],
    [0.5, 1000],
    [0.9, 0],
    [0.95, 5000],
  ] as const)('keeps the records before the cut, at %s and %s bytes of a page', async ([share, more]) => {
    changeInside(file, fill('n'));
    const before = eventsIn(file);
    await cut(share, more);
    const kept = await expectTrue(before, await readFile(file));
    expect(kept).toBeGreaterThan(records * (share - 0.15));
    expect(kept).toBeLessThan(records);
  });

  it('keeps the records between others that are lost', async () => {
    // 1021 and 2003 have no common divisor, so this visits ids in no order.
    changeInside(file, fill('(n * 1021) % 2003'));
    const before = eventsIn(file);
    await cut(0.8);
    expect(await expectTrue(before, await readFile(file))).toBeGreaterThan(records * 0.5);
  });

  it('does not keep a record of which the last bytes are missing', async () => {
    changeInside(file, fill('n'));
    const before = eventsIn(file);
    await truncate(file, (await stat(file)).size - pageBytes / 2);
    expect(await expectTrue(before, await readFile(file))).toBeLessThan(records);
  });

  it('keeps records if a table begins behind the cut', async () => {
    await rm(file);
    await rm(join(folder, 'main.db'));
    createStores(folder, { canShrink: false, pageBytes });
    const sql = valueIn(file, "SELECT sql FROM sqlite_schema WHERE name = 'audit_anchor'");
    changeInside(file, `DROP TABLE audit_anchor; ${fill('n')}; ${sql}`);
    const before = eventsIn(file);
    await cut(0.5);
    expect(await expectTrue(before, await readFile(file))).toBeGreaterThan(records * 0.35);
  });

  it('keeps what the log has', async () => {
    changeInside(file, fill('n'));
    const copy = join(folder, 'copy.db');
    await inLog(file, 'UPDATE activity SET ts = 7 WHERE id = 1', async () => {
      for (const end of ['', '-wal']) await copyFile(`${file}${end}`, `${copy}${end}`);
    });
    for (const end of ['', '-wal']) await copyFile(`${copy}${end}`, `${file}${end}`);
    await cut(0.5);
    expect(repair().state).toBe('rebuilt');
    expect(valueIn(file, 'SELECT ts FROM activity WHERE id = 1')).toBe(7);
  });

  it('leaves an empty store, and says that it does not know what is lost, if not even the list of tables is left', async () => {
    changeInside(file, fill('n'));
    await truncate(file, 1000);
    const { state, rebuilt } = repair();
    expect({ state, rebuilt }).toMatchObject({ state: 'rebuilt', rebuilt: { kept: 0, lost: null } });
    expect(repair().state).toBe('whole');
  });
});
