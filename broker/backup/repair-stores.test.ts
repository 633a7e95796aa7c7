/** Repairs of stores that no broker has used (specification/backup.md#repair); bin/verbs/repair.verb.slow.test.ts has the command. */
import { spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexDamage } from '../features/search/index-marks.rules.ts';
import { activityMigrations } from '../storage/activity.migrations.ts';
import { mainMigrations } from '../storage/main.migrations.ts';
import { createStores, inLog, valueIn } from '../testing/bare-stores.ts';
import { changeInside, leavesOf, overwrite, overwriteRoot } from '../testing/damage-store.ts';
import { repairStores } from './repair-stores.ts';

const childPath = fileURLToPath(new URL('../testing/killed-repair.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-'));
  createStores(folder);
  addMessages(at('main.db'), 1, 100);
});
afterEach(() => rm(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);

function addMessages(file: string, from: number, to: number): void {
  changeInside(
    file,
    `WITH RECURSIVE n (seq) AS (SELECT ${from} UNION ALL SELECT seq + 1 FROM n WHERE seq < ${to})
     INSERT INTO message (seq, id, ts, sender, scope, body, level, data, attachments)
     SELECT seq, 'm' || seq, seq, 'ada', 'general', 'message ' || seq, 'info', '{}', '[]' FROM n`,
  );
}

const repair = (place = folder, isCheck = false) =>
  repairStores({
    mainPath: join(place, 'main.db'),
    activityPath: join(place, 'activity.db'),
    isCheck,
    now: 0,
    onRows: () => undefined,
  });

const messagesIn = (file: string): unknown => valueIn(file, 'SELECT count(*) FROM message NOT INDEXED');
const namesIn = async (place: string): Promise<string[]> =>
  (await readdir(place)).filter((name) => !/(\.lock|-wal|-shm)$/.test(name)).sort();

describe('the repair of a store behind a symbolic link', () => {
  it('reads its log, and leaves the link in place', async () => {
    await mkdir(at('links'));
    await mkdir(at('real'));
    await inLog(
      at('main.db'),
      `INSERT INTO index_progress (what, up_to) VALUES ('${indexDamage}', 1);
       INSERT INTO message (seq, id, ts, sender, scope, body, level, data, attachments)
       VALUES (101, 'late', 1, 'ada', 'general', 'in the log', 'info', '{}', '[]')`,
      async () => {
        for (const name of ['main.db', 'main.db-wal', 'activity.db'])
          await copyFile(at(name), at(`real/${name}`));
      },
    );
    for (const name of ['main.db', 'activity.db']) await symlink(at(`real/${name}`), at(`links/${name}`));
    const [report] = repair(at('links'));
    expect(report).toMatchObject({ state: 'rebuilt', rebuilt: { kept: 101, lost: 0 } });
    expect((await lstat(at('links/main.db'))).isSymbolicLink()).toBe(true);
    expect(messagesIn(at('real/main.db'))).toBe(101);
    expect(await namesIn(at('links'))).toEqual(['activity.db', 'main.db']);
    expect(await namesIn(at('real'))).toEqual(['activity.db', 'main.db', 'main.db.damaged-19700101T000000Z']);
  });
});

describe('the repair of a store of a newer version', () => {
  it.for(['main.db', 'activity.db'])('is refused: %s', async (name) => {
    const version = name === 'main.db' ? mainMigrations.length : activityMigrations.length;
    const table = name === 'main.db' ? 'message' : 'activity';
    changeInside(
      at(name),
      `ALTER TABLE ${table} ADD COLUMN later TEXT; PRAGMA user_version = ${version + 1}`,
    );
    await overwriteRoot(at(name), table === 'message' ? 'message_by_scope' : 'activity_by_kind');
    const before = await readFile(at(name));
    expect(() => repair()).toThrow(
      expect.objectContaining({ exitCode: 78, message: expect.stringContaining('newer version of Muster') }),
    );
    expect(await readFile(at(name))).toEqual(before);
  });

  it('is refused if the header with the version is overwritten', async () => {
    changeInside(at('activity.db'), 'CREATE TABLE later (id INTEGER)');
    await overwrite(at('activity.db'), 0, 100);
    expect(() => repair()).toThrow(expect.objectContaining({ exitCode: 78 }));
  });
});

describe('a repair', () => {
  it('reports the rows that the indexes still have, if old pages of their table came back', async () => {
    const pages = leavesOf(at('main.db'), 'message');
    const before = await readFile(at('main.db'));
    addMessages(at('main.db'), 101, 103);
    const after = await readFile(at('main.db'));
    const changed = pages.filter(
      (at) => !before.subarray(at, at + 4096).equals(after.subarray(at, at + 4096)),
    );
    expect(changed).toHaveLength(1);
    for (const at of changed) before.copy(after, at, at, at + 4096);
    await writeFile(at('main.db'), after);
    const [report] = repair();
    expect(report).toMatchObject({ state: 'rebuilt', rebuilt: { kept: 100, lost: 3, otherTables: {} } });
    expect(await readFile(report?.damagedFile ?? '')).toEqual(after);
  });

  it.for(['usage', 'piece', 'split_request', 'audit_anchor'])(
    'reports rows of an activity store that are lost in the table "%s"',
    async (table) => {
      changeInside(
        at('activity.db'),
        `INSERT INTO activity (member, ts, kind, created_at, event) VALUES ('ben', 1, 'tool_call', 1, '{}');
         INSERT INTO usage VALUES ('ben', 0, 'm', 1, 1, 1, 1, 1);
         INSERT INTO piece (hash, text) VALUES (x'01', '{}');
         INSERT INTO split_request (id, place) VALUES (1, 1);
         INSERT INTO audit_anchor VALUES (1, 1, 'h')`,
      );
      await overwriteRoot(at('activity.db'), table);
      const lost = table === 'usage' || table === 'piece' ? 1 : null;
      expect(repair()[1]?.rebuilt).toEqual({ kept: 1, lost: 0, otherTables: { [table]: lost } });
    },
  );
});

describe('the salvage of requests that are stored in pieces', () => {
  const fill = `
    INSERT INTO activity (id, member, ts, kind, created_at, event)
      VALUES (1, 'ben', 1, 'llm_exchange', 1, '{"entry":{"request":{"maxTokens":1}}}');
    INSERT INTO split_request VALUES (1, 20, 8, 9, 3);
    INSERT INTO piece VALUES (1, x'01', NULL, '{"role":"user","content":[]}'), (2, x'02', 1, '{}'), (3, x'03', 2, '{}');
    INSERT INTO split_request VALUES (2, 20, NULL, NULL, 3);`;

  it('keeps the ids of lost pieces, so that no new piece gets them, and continues no conversation that is cut', async () => {
    changeInside(at('activity.db'), `${fill} DELETE FROM piece WHERE id = 1`);
    await overwriteRoot(at('activity.db'), 'activity_by_kind');
    repair();
    const pieces = valueIn(
      at('activity.db'),
      "SELECT group_concat(id || ' ' || coalesce(previous, '')) FROM piece",
    );
    expect(pieces).toBe('1 ,2 1,3 2,8 ,9 ');
    expect(valueIn(at('activity.db'), "SELECT count(*) FROM piece WHERE hash IN (x'02', x'03')")).toBe(0);
    expect(valueIn(at('activity.db'), 'SELECT count(*) FROM split_request')).toBe(1);
    expect(valueIn(at('activity.db'), 'SELECT group_concat(id) FROM loose_piece')).toBe('3');
  });

  it('says in the request that its parts are lost', async () => {
    changeInside(at('activity.db'), fill);
    await overwriteRoot(at('activity.db'), 'split_request');
    repair();
    const event = String(valueIn(at('activity.db'), 'SELECT event FROM activity'));
    const lost = 'The store lost this part of the request.';
    expect(JSON.parse(event).entry.request).toEqual({
      maxTokens: 1,
      system: lost,
      tools: null,
      messages: [{ role: 'user', content: [{ type: 'text', text: lost }] }],
    });
  });
});

describe('the check of a damaged store', () => {
  const cases: [string, () => Promise<void>][] = [
    ['an index of the main store', () => overwriteRoot(at('main.db'), 'message_by_scope')],
    ['a table of the main store', () => overwriteRoot(at('main.db'), 'message')],
    ['an index of the activity store', () => overwriteRoot(at('activity.db'), 'activity_by_kind')],
    ['a table of the activity store', () => overwriteRoot(at('activity.db'), 'activity')],
    ['the header of the activity store', () => overwrite(at('activity.db'), 0, 100)],
    ['the end of the activity store', async () => truncate(at('activity.db'), 16_384 * 40)],
  ];
  it.for(cases)('predicts what a repair does, and changes nothing: %s', async ([, damage]) => {
    changeInside(
      at('activity.db'),
      `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 500)
       INSERT INTO activity (id, member, ts, kind, created_at, event)
       SELECT id, 'ben', 0, 'tool_call', 1, '"' || hex(zeroblob(2000)) || '"' FROM n`,
    );
    await damage();
    const contents = () => Promise.all(['main.db', 'activity.db'].map((name) => readFile(at(name))));
    const [before, names] = [await contents(), await namesIn(folder)];
    const predicted = repair(folder, true);
    expect(await contents()).toEqual(before);
    expect(await namesIn(folder)).toEqual(names);
    const done = repair();
    expect(predicted.map(({ predicted: one }) => one ?? null)).toEqual(done.map(({ rebuilt }) => rebuilt));
    expect(predicted.map(({ state }) => state === 'damaged')).toEqual(
      done.map(({ state }) => state === 'rebuilt'),
    );
    expect(predicted.some(({ state }) => state !== 'whole')).toBe(true);
  });
});

it.skipIf(process.getuid?.() !== 0)(
  'a repair as root keeps the owner, the group, and the mode of a store',
  async () => {
    await overwriteRoot(at('main.db'), 'message_by_scope');
    await chown(at('main.db'), 65_534, 65_533);
    await chmod(at('main.db'), 0o640);
    const [report] = repair();
    expect(report?.state).toBe('rebuilt');
    const found = await Promise.all(
      [at('main.db'), at('main.db.lock'), report?.damagedFile ?? ''].map((path) => stat(path)),
    );
    for (const { uid, gid } of found) expect({ uid, gid }).toEqual({ uid: 65_534, gid: 65_533 });
    expect((found[0]?.mode ?? 0) & 0o777).toBe(0o640);
  },
);

it('removes what a killed repair left, also beside a store that is whole', async () => {
  await writeFile(at('main.db.repair-old'), 'x');
  await writeFile(at('activity.db.repair-new-wal'), 'x');
  expect(repair().map(({ state }) => state)).toEqual(['whole', 'whole']);
  expect(await namesIn(folder)).toEqual(['activity.db', 'main.db']);
});

describe('a repair that lacks something', () => {
  it('names the file that it may not read', async () => {
    await chmod(at('main.db'), 0);
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    for (const name of ['', 'main.db', 'activity.db'])
      if (user.uid !== undefined) await chown(at(name), user.uid, user.gid);
    const { status, stderr } = spawnSync(process.execPath, [childPath, folder], {
      ...user,
      encoding: 'utf8',
    });
    expect(stderr).toContain(`"${at('main.db')}" cannot be read and written (EACCES)`);
    expect(status).toBe(1);
  });
});

describe('damage of which SQLite names only the page', () => {
  const fragmentation = 7;

  it('is repaired in an index', async () => {
    const root = Number(
      valueIn(at('main.db'), "SELECT rootpage FROM sqlite_schema WHERE name = 'message_by_scope'"),
    );
    await overwrite(at('main.db'), (root - 1) * 4096 + fragmentation, 1);
    expect(repair(folder, true)[0]?.faults).toContainEqual(expect.stringMatching(/^Fragmentation of/));
    expect(repair()[0]).toMatchObject({ state: 'rebuilt', rebuilt: { kept: 100, lost: 0, otherTables: {} } });
    expect(repair().map(({ state }) => state)).toEqual(['whole', 'whole']);
  });

  it('is beyond repair in a table', async () => {
    await overwrite(at('main.db'), (leavesOf(at('main.db'), 'message')[0] ?? 0) + fragmentation, 1);
    expect(repair()[0]).toMatchObject({ state: 'beyond repair' });
  });
});
