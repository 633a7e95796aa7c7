/** A repair that is killed at any of its file operations (specification/backup.md#repair). */
import { spawnSync } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { indexDamage } from '../features/search/index-marks.rules.ts';
import { createStores, inLog, valueIn } from '../testing/bare-stores.ts';
import { changeInside, overwrite } from '../testing/damage-store.ts';
import { repairStores } from './repair-stores.ts';

const childPath = fileURLToPath(new URL('../testing/killed-repair.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-'));
});
afterEach(() => rm(folder, { recursive: true }));

const rows = 400;

/** A main store whose search index is damaged, and an activity store whose header is; both have commits in their logs alone. */
async function damagedStores(): Promise<void> {
  await mkdir(join(folder, 'source'));
  await mkdir(join(folder, 'damaged'));
  createStores(join(folder, 'source'));
  const copy = (name: string) => () =>
    Promise.all(
      ['', '-wal'].map((end) =>
        copyFile(join(folder, 'source', `${name}${end}`), join(folder, 'damaged', `${name}${end}`)),
      ),
    ).then(() => undefined);
  changeInside(
    join(folder, 'source/activity.db'),
    `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${rows})
     INSERT INTO activity (id, member, ts, kind, created_at, event) SELECT id, 'ben', 0, 'tool_call', 1, '{}' FROM n`,
  );
  await inLog(join(folder, 'source/activity.db'), 'UPDATE activity SET ts = 1', copy('activity.db'));
  await overwrite(join(folder, 'damaged/activity.db'), 0, 100);
  await inLog(
    join(folder, 'source/main.db'),
    `INSERT INTO index_progress (what, up_to) VALUES ('${indexDamage}', 1);
     INSERT INTO message (seq, id, ts, sender, scope, body, level, data, attachments)
     VALUES (1, 'm', 1, 'ada', 'general', 'in the log', 'info', '{}', '[]')`,
    copy('main.db'),
  );
}

const killed = (place: string, operation: number) =>
  spawnSync(process.execPath, [childPath, place, String(operation)], { encoding: 'utf8' });

it('loses nothing, also of what only the log has, and leaves nothing that the next repair does not remove', async () => {
  await damagedStores();
  await cp(join(folder, 'damaged'), join(folder, 'undisturbed'), { recursive: true });
  const { stdout, stderr } = killed(join(folder, 'undisturbed'), 0);
  expect(stderr).toBe('');
  const operations = Number(stdout);
  expect(operations).toBeGreaterThan(10);
  for (let operation = 1; operation <= operations; operation++) {
    const place = join(folder, `killed-${operation}`);
    await cp(join(folder, 'damaged'), place, { recursive: true });
    expect(killed(place, operation).signal, `operation ${operation}`).toBe('SIGKILL');
    const reports = repairStores({
      ...{ mainPath: join(place, 'main.db'), activityPath: join(place, 'activity.db') },
      ...{ isCheck: false, now: 0, onRows: () => undefined },
    });
    for (const { rebuilt } of reports) if (rebuilt !== null) expect(rebuilt.lost).toBe(0);
    expect(valueIn(join(place, 'activity.db'), 'SELECT total(ts) FROM activity'), `${operation}`).toBe(rows);
    expect(valueIn(join(place, 'main.db'), 'SELECT body FROM message'), `${operation}`).toBe('in the log');
    expect((await readdir(place)).filter((name) => name.includes('.repair-'))).toEqual([]);
    await rm(place, { recursive: true });
  }
});
