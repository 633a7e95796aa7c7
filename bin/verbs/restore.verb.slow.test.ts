import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeStore, storeRows } from '../../broker/testing/store-rows.ts';
import { type Alteration, alterBackup } from '../testing/altered-backup.ts';
import { createHome, type Home } from '../testing/command.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
const at = (folder: string) => ({
  SVC_CONFIG_PATH: home.path(`${folder}/svc.json`),
  SVC_DB_PATH: home.path(`${folder}/main.db`),
  SVC_ACTIVITY_DB_PATH: home.path(`${folder}/activity.db`),
});
const svc = (folder: string, args: string[]) => home.run(args, { env: at(folder) });
/** Restores into a folder that does not exist. */
const restore = (name: string, ...more: string[]) => svc(name, ['restore', home.path('backups'), ...more]);

/** Restores a backup that somebody changed. */
async function restoreAltered(name: string, alteration: Alteration) {
  const altered = await alterBackup(home.path('backups'), home.path(`${name}-altered`), alteration);
  return svc(name, ['restore', altered]);
}

beforeAll(async () => {
  home = await createHome();
  await mkdir(home.path('team'));
  await writeTeam(home.path('team/svc.json'), { files: { root: 'files' } });
  const server = await home.serve([], at('team'));
  await fetch(`${server.url}/fs/write?path=/ada/a.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.ada}`, 'content-type': 'text/plain' },
    body: 'one',
  });
  server.child.kill('SIGTERM');
  await server.ended;
  await svc('team', ['backup', '--to', home.path('backups')]);
});
afterAll(() => home.remove());

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
const rootOf = async (name: string) =>
  JSON.parse(await readFile(home.path(`${name}/svc.json`), 'utf8')).files.root;
/** The progress that a restore prints if it takes longer than a second. */
const progress = /^(?:checking the stores|files: \d+)$/;
/** One sentence on stderr, and nothing left of the place. */
async function expectRefused(name: string, { code, stdout, stderr }: Awaited<ReturnType<typeof restore>>) {
  expect({
    code,
    stdout,
    lines: stderr
      .trim()
      .split('\n')
      .filter((line) => !progress.test(line)).length,
    left: await isThere(home.path(name)),
  }).toEqual({ code: 1, stdout: '', lines: 1, left: false });
}

describe('the folder for contents of files, in a restore', () => {
  it('is said, and stays as the backup names it if it is in the place', async () => {
    const { stdout, code } = await restore('plain');
    expect({ code, root: await rootOf('plain') }).toEqual({ code: 0, root: 'files' });
    expect(stdout).toContain(`\ncontents of files: ${home.path('plain/files')}\n`);
  });

  it.each(['somebody', '../somebody', '.', '..'])(
    'is never a folder elsewhere that the backup names: %s',
    async (named) => {
      const name = `elsewhere-${named.length}`;
      await mkdir(home.path('somebody'), { recursive: true, mode: 0o755 });
      const root = named === 'somebody' ? home.path('somebody') : named;
      const { stdout, code } = await restoreAltered(name, { config: { files: { root } } });
      expect(code).toBe(0);
      expect(stdout).toContain(`contents of files: ${home.path(`${name}/files`)} (the backup says `);
      expect(await rootOf(name)).toBe('files');
      expect(await readdir(home.path(`${name}/files`))).toContain('.store');
      expect(await readdir(home.path('somebody'))).toEqual([]);
      if (process.platform !== 'win32') expect((await stat(home.path('somebody'))).mode & 0o777).toBe(0o755);
    },
  );

  it('is where the user says', async () => {
    const root = home.path('disk/of/files');
    expect((await restore('named', '--files-root', root)).stdout).toContain(`contents of files: ${root} (`);
    expect({ root: await rootOf('named'), names: await readdir(root) }).toEqual({
      root,
      names: expect.arrayContaining(['.store']),
    });
    expect(await readdir(home.path('disk/of'))).toEqual(['files']);
  });
});

describe('a certificate in a backup', () => {
  it.each(['main.db-wal', '.bashrc', 'svc.json.kek'])('is not restored as %s', async (cert) => {
    const name = `cert-${cert.length}`;
    const restored = await restoreAltered(name, {
      config: { https: { port: 0, cert, key: 'own.key' } },
      files: { 'config/https.crt': 'not a certificate', 'config/https.key': 'key' },
    });
    expect(restored).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(home.path(`${name}/${cert}`)),
    });
    expect(await readdir(home.path(name))).toEqual(
      expect.arrayContaining(['activity.db', 'files', 'main.db', 'own.key', 'svc.json']),
    );
    expect(await isThere(home.path(`${name}/${cert}`))).toBe(false);
  });
});

const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c';

describe('a store in a backup', () => {
  it.each<[string, Alteration]>([
    ['trigger "evil"', { main: 'CREATE TRIGGER evil AFTER DELETE ON session BEGIN DELETE FROM token; END' }],
    ['trigger "evil"', { activity: 'CREATE TRIGGER evil AFTER INSERT ON activity BEGIN SELECT 1; END' }],
    ['view "message"', { main: `ALTER TABLE message RENAME TO m2; CREATE VIEW message AS ${endless}` }],
    [
      'view "activity"',
      { activity: `ALTER TABLE activity RENAME TO m2; CREATE VIEW activity AS ${endless}` },
    ],
    ['index "mine"', { main: 'CREATE INDEX mine ON message (body)' }],
    [
      'trigger "audit_is_not_changed"',
      {
        main: "DROP TRIGGER audit_is_not_changed; CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT 'x'; END",
      },
    ],
  ])('with a foreign %s is refused before anything else is read', async (object, alteration) => {
    const name = `foreign-${crypto.randomUUID()}`;
    const refused = await restoreAltered(name, alteration);
    expect(refused.stderr).toContain(`has the ${object}, which does not belong to it`);
    await expectRefused(name, refused);
  });

  it.each<[string, Alteration]>([
    ['lacks the trigger "audit_is_not_changed"', { main: 'DROP TRIGGER audit_is_not_changed' }],
    ['lacks the table "store_identity"', { main: 'DROP TABLE store_identity' }],
    ['says that the main store is not a store of Muster', { main: 'PRAGMA user_version = -1' }],
    ['says that the audit log has no floor', { main: 'DELETE FROM audit_floor' }],
    ['cannot be read (SQLITE_NOTADB)', { files: { 'main.db': 'x'.repeat(8192) } }],
  ])('that %s is refused', async (said, alteration) => {
    const name = `lacking-${crypto.randomUUID()}`;
    const refused = await restoreAltered(name, alteration);
    expect(refused.stderr).toContain(said.replace('says that ', ''));
    await expectRefused(name, refused);
  });

  it('with a foreign trigger is named by the checks and refused by a backup', async () => {
    await restore('planted');
    const evil = 'CREATE TRIGGER evil AFTER DELETE ON session BEGIN DELETE FROM token; END';
    changeStore(home.path('planted/main.db'), evil);
    const { stdout, code } = await svc('planted', ['doctor', '--full']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/fail {2}stores: the main store has the trigger "evil"/);
    expect(stdout).not.toContain('contents of files:');
    const made = await svc('planted', ['backup', home.path('planted.tar')]);
    expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining('the trigger "evil"') });
    expect(await isThere(home.path('planted.tar'))).toBe(false);
  });
});

describe('a path that cannot be used', () => {
  beforeAll(() => writeFile(home.path('a-file'), ''));

  it.each<[string, () => string[]]>([
    ['a folder for files below a file', () => ['--files-root', home.path('a-file/files')]],
    ['a folder for files that is a file', () => ['--files-root', home.path('a-file')]],
    ['a store below a file', () => ['--db', home.path('a-file/main.db')]],
    ['a configuration below a file', () => ['--config-path', home.path('a-file/svc.json')]],
    ['a folder for files that is the place itself', () => ['--files-root', '.']],
    ...(process.platform === 'linux'
      ? ([
          ['a folder for files that nobody can create', () => ['--files-root', '/proc/nope/files']],
          ['a store that nobody can create', () => ['--activity-db', '/proc/nope/activity.db']],
        ] satisfies [string, () => string[]][])
      : []),
  ])('is refused by a restore with one sentence: %s', async (_case, more) => {
    const refused = await restore('unusable', ...more());
    expect(refused.stderr).toMatch(/^muster: the folder "[^\n]*(cannot be used \(E[A-Z]+\)|is not empty)/);
    await expectRefused('unusable', refused);
    expect(await readFile(home.path('a-file'), 'utf8')).toBe('');
  });

  it('is refused by a backup with one sentence', async () => {
    const paths = [[home.path('a-file/x.tar')], ['--to', home.path('a-file/x')]];
    if (process.platform === 'linux') paths.push(['/proc/nope/x.tar'], ['--to', '/proc/nope']);
    for (const path of paths) {
      const { code, stdout, stderr } = await svc('team', ['backup', ...path]);
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^muster: the folder "[^\n]*cannot be used \(E[A-Z]+\)[^\n]*\n$/),
      });
    }
  });

  it('leaves an empty folder for files as it was when the restore fails', async () => {
    await mkdir(join(home.path('kept'), 'files'), { recursive: true, mode: 0o750 });
    const refused = await restoreAltered('kept', { main: 'DROP TABLE store_identity' });
    expect({ code: refused.code, left: await readdir(home.path('kept'), { recursive: true }) }).toEqual({
      code: 1,
      left: ['files'],
    });
  });
});

it('brings back an activity store of an earlier version with its own pages, beside stores of this one', async () => {
  const pageBytes = async (name: string) =>
    storeRows(home.path(`${name}/activity.db`), 'SELECT page_size FROM pragma_page_size');
  await restore('older');
  expect(await pageBytes('older')).toEqual([{ page_size: 16_384 }]);
  changeStore(
    home.path('older/activity.db'),
    `PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM;
     INSERT INTO activity (member, ts, kind, created_at, event) VALUES ('ada', 1, 'opaque_http', 1, '{}')`,
  );
  expect(await svc('older', ['backup', '--to', home.path('older-backups')])).toMatchObject({ code: 0 });
  expect(await svc('again', ['restore', home.path('older-backups')])).toMatchObject({ code: 0 });
  expect(await pageBytes('again')).toEqual([{ page_size: 4096 }]);
  const server = await home.serve([], at('again'));
  server.child.kill('SIGTERM');
  await server.ended;
  expect(storeRows(home.path('again/activity.db'), 'SELECT ts FROM activity')).toEqual([{ ts: 1 }]);
});
