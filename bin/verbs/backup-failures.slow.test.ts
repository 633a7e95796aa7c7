import { chmod, cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeWithSmallDisk, smallDisk } from '#platform/testing/small-disk.ts';
import { createHome, type Home } from '../testing/command.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let snapshot = '';
const at = (folder: string) => ({
  SVC_CONFIG_PATH: home.path(`${folder}/svc.json`),
  SVC_DB_PATH: home.path(`${folder}/main.db`),
  SVC_ACTIVITY_DB_PATH: home.path(`${folder}/activity.db`),
});
const svc = (folder: string, args: string[]) => home.run(args, { env: at(folder) });
const isRoot = process.getuid?.() === 0;

beforeAll(async () => {
  home = await createHome();
  await mkdir(home.path('team'));
  await writeTeam(home.path('team/svc.json'), { files: { root: 'files' } });
  const server = await home.serve([], at('team'));
  for (const name of ['a', 'b'])
    await fetch(`${server.url}/fs/write?path=/ada/${name}.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ada}`, 'content-type': 'text/plain' },
      body: name,
    });
  server.child.kill('SIGTERM');
  await server.ended;
  await svc('team', ['backup', '--to', home.path('backups')]);
  snapshot = (await readdir(home.path('backups'))).find((name) => /^\d/.test(name)) ?? '';
});
afterAll(() => home.remove());

/** While `work` runs, the folder of files is not there. */
async function withoutFiles<T>(work: () => Promise<T>): Promise<T> {
  await rename(home.path('team/files'), home.path('team/aside'));
  try {
    return await work();
  } finally {
    await rename(home.path('team/aside'), home.path('team/files'));
  }
}

describeWithSmallDisk('a backup to a full disk', () => {
  it.each([
    ['a file', (disk: string) => ['backup', join(disk, 'x.tar')]],
    ['a folder', (disk: string) => ['backup', '--to', join(disk, 'x')]],
  ])('says that there is not enough space, and leaves nothing: %s', async (_case, args) => {
    const disk = await smallDisk('300k');
    expect(await svc('team', args(disk))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('muster: there is not enough space. Nothing of the backup was kept.\n'),
    });
    expect(
      (await readdir(disk, { recursive: true })).filter((name) => /partial|\dZ|\.tar/.test(name)),
    ).toEqual([]);
  });
});

describe('a backup that cannot be read', () => {
  const refusedAt = async (source: string, ...more: string[]) => {
    const { code, stderr } = await svc('unread', ['restore', source, ...more]);
    expect(code).toBe(1);
    return stderr;
  };

  it.skipIf(process.platform === 'win32')('is not called incomplete: a file', async () => {
    const path = home.path('r.sock');
    const socket = createServer().listen(path);
    onTestFinished(() => void socket.close());
    expect(await refusedAt(path)).toMatch(/^muster: "[^"]*r\.sock" cannot be read \(E[A-Z]+\)\. [^\n]*\n$/);
  });

  it.each(['main.db', 'manifest.json'])('is named: %s of a folder', async (name) => {
    const folder = home.path(`unread-${name}`);
    await cp(home.path('backups'), folder, { recursive: true });
    const path = join(folder, snapshot, name);
    await rm(path);
    await mkdir(path);
    const refused = await refusedAt(folder);
    expect(refused).toContain(`muster: "${path}" cannot be read (`);
    expect(refused.trim().split('\n')).toHaveLength(1);
  });

  it('says which file of a folder is missing', async () => {
    const folder = home.path('lacking');
    await cp(home.path('backups'), folder, { recursive: true });
    await rm(join(folder, snapshot, 'activity.db'));
    expect(await refusedAt(folder)).toBe(
      `muster: "${join(folder, snapshot, 'activity.db')}" is missing. Use another backup.\n`,
    );
  });

  it.skipIf(isRoot || process.platform === 'win32')('because of its mode can be made readable', async () => {
    const folder = home.path('of-another-user');
    await cp(home.path('backups'), folder, { recursive: true });
    for (const path of [folder, join(folder, snapshot), join(folder, snapshot, 'manifest.json')]) {
      await chmod(path, 0);
      expect(await refusedAt(folder)).toMatch(
        / cannot be read \(EACCES\)\. Make it readable for this user\.\n$/,
      );
      await chmod(path, 0o700);
    }
  });
});

describe('a restore of a backup without the contents of files', () => {
  it('restores the rest, does not claim that all is verified, and exits with 1', async () => {
    const made = await withoutFiles(() => svc('team', ['backup', home.path('poor.tar')]));
    expect(made.code).toBe(1);
    const restored = await svc('poor', ['restore', home.path('poor.tar')]);
    expect(restored).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(', 0 file contents verified, 2 missing\n'),
      stderr: expect.stringContaining('not in the backup: 2 file contents;'),
    });
    expect(restored.stdout).not.toContain('all verified');
    expect(await readdir(home.path('poor'))).toEqual(
      expect.arrayContaining(['activity.db', 'main.db', 'svc.json']),
    );
  });
});

describe('a backup into a folder that has the contents of files already', () => {
  it('exits with 1 and counts them when they are missing from the folder of files', async () => {
    const args = ['backup', '--to', home.path('backups')];
    const found = await withoutFiles(async () => [
      await svc('team', args),
      await svc('team', [...args, '--json']),
    ]);
    const [made, asJson] = found;
    expect(made).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('2 file contents (2 already there)'),
      stderr: expect.stringContaining(
        'unreadable in the folder of files, and taken from an earlier backup: 2 file contents;',
      ),
    });
    expect(asJson?.code).toBe(1);
    expect(JSON.parse(asJson?.stdout ?? '')).toMatchObject({ files: 2, reused: 2, damaged: [], absent: 2 });
    const whole = await svc('team', [...args, '--json']);
    expect(whole.code).toBe(0);
    expect(JSON.parse(whole.stdout)).not.toHaveProperty('absent');
    expect((await svc('refilled', ['restore', home.path('backups')])).stdout).toContain('all verified');
  });
});

describe('a store that is not there or cannot be read', () => {
  it('is a finding of the full checks', async () => {
    const missing = await svc('team', ['doctor', '--full', '--db', home.path('team/nope.db')]);
    expect(missing.code).toBe(1);
    expect(missing.stdout).toContain(`\nfail  stores: there is no store "${home.path('team/nope.db')}". `);
    expect(missing.stdout).toMatch(/ or with SVC_DB_PATH and SVC_ACTIVITY_DB_PATH\.\n$/);
    await writeFile(home.path('team/text.db'), 'x'.repeat(8192));
    const text = await svc('team', ['doctor', '--full', '--db', home.path('team/text.db')]);
    expect(text.code).toBe(1);
    expect(text.stdout).toContain('fail  stores: the stores cannot be read (SQLITE_NOTADB)');
  });

  it('is refused by a backup with one sentence', async () => {
    await writeFile(home.path('team/text.db'), 'x'.repeat(8192));
    const refused = await svc('team', ['backup', home.path('no.tar'), '--db', home.path('team/text.db')]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'muster: the stores cannot be copied (SQLITE_NOTADB). "muster doctor --full"',
      ),
    });
  });

  it('is named by a restore without a word about backups in memory', async () => {
    const env = { SVC_CONFIG_PATH: home.path('team/svc.json') };
    const unknown = await home.run(['restore', home.path('backups')], { env });
    expect(unknown.stderr).toMatch(/^muster: the stores of .* are not known\. .*SVC_ACTIVITY_DB_PATH\.\n$/);
    const inMemory = await home.run(['backup', home.path('m.tar')], {
      env: { ...at('team'), SVC_DB_PATH: ':memory:' },
    });
    expect(inMemory.stderr).toMatch(/ are in memory/);
  });
});

it('says how to restore one backup of a folder when it is named as the folder', async () => {
  const path = home.path(`backups/${snapshot}`);
  expect((await svc('one', ['restore', path])).stderr).toBe(
    `muster: "${path}" is one backup of a folder. Name the folder "${home.path('backups')}" with --at ${snapshot}.\n`,
  );
});
