import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeStore, storeRows } from '../../broker/testing/store-rows.ts';
import { createHome, type Home } from '../testing/command.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let server: Awaited<ReturnType<Home['serve']>>;
const passphrase = 'correct horse battery staple';
const at = (folder: string) => ({
  SVC_CONFIG_PATH: home.path(`${folder}/svc.json`),
  SVC_DB_PATH: home.path(`${folder}/main.db`),
  SVC_ACTIVITY_DB_PATH: home.path(`${folder}/activity.db`),
});
const svc = (folder: string, args: string[], env = {}) => home.run(args, { env: { ...at(folder), ...env } });
const withKey = { SVC_BACKUP_PASSPHRASE: passphrase };

beforeAll(async () => {
  home = await createHome();
  await mkdir(home.path('team'));
  await writeTeam(home.path('team/svc.json'), {
    files: { root: 'files' },
    listen: { hosts: ['team.example'] },
  });
  server = await home.serve([], at('team'));
  const ada = clientOf(server.url, 'ada');
  await ada.call('push', { body: { body: 'before the backup' } });
  for (const [name, text] of [
    ['a', 'one'],
    ['b', 'two'],
  ])
    await fetch(`${server.url}/fs/write?path=/ada/${name}.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ada}`, 'content-type': 'text/plain' },
      body: text ?? '',
    });
  await svc('team', ['backup', home.path('team.tar'), '--with-key'], withKey);
});
afterAll(() => home.remove());

/** Returns the names in a folder, with the names of its subfolders. */
const contentOf = async (folder: string) =>
  (await readdir(home.path(folder), { recursive: true }).catch(() => [])).sort();

describe('muster backup', () => {
  it('writes one private file beside a running broker, and never over another one', async () => {
    const path = home.path('second.tar');
    const made = await svc('team', ['backup', path, '--json']);
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({
      path,
      files: 2,
      reused: 0,
      counts: { message: 1, audit: 1 },
      damaged: [],
    });
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o077).toBe(0);
    const before = await readFile(path);
    expect((await svc('team', ['backup', path])).stderr).toContain('already exists. Name another file.');
    expect((await readFile(path)).equals(before)).toBe(true);
    expect((await readdir(home.folder)).filter((name) => name.includes('partial'))).toEqual([]);
    // Without --with-key, the key is nowhere in it.
    const kek = await readFile(home.path('team/svc.json.kek'), 'utf8');
    expect(before.includes(kek.trim())).toBe(false);
    expect((await readFile(home.path('team.tar'))).includes(kek.trim())).toBe(false);
  });

  it('adds to a folder without copying contents again, and keeps as many as told', async () => {
    const folder = home.path('folder');
    const to = async () =>
      JSON.parse((await svc('team', ['backup', '--to', folder, '--keep', '2', '--json'])).stdout);
    expect(await to()).toMatchObject({ files: 2, reused: 0 });
    expect(await to()).toMatchObject({ files: 2, reused: 2 });
    const { path } = await to();
    const snapshots = (await readdir(folder)).filter((name) => /^\d/.test(name));
    expect(snapshots).toHaveLength(2);
    expect(snapshots.map((name) => join(folder, name))).toContain(path);
  });

  it('creates one folder, and not the folders above it, because a disk that is not mounted looks like that', async () => {
    const absent = home.path('disk');
    for (const target of [['--to', join(absent, 'muster')], [join(absent, 'muster', 'team.tar')]]) {
      const { code, stderr } = await svc('team', ['backup', ...target]);
      expect(code).toBe(1);
      expect(stderr).toBe(
        `muster: the folder "${absent}" does not exist. Mount its disk, create it, or name another place.\n`,
      );
      expect(await readdir(home.folder)).not.toContain('disk');
    }
    await mkdir(absent);
    expect((await svc('team', ['backup', '--to', join(absent, 'muster')])).code).toBe(0);
    expect((await svc('team', ['backup', join(absent, 'single', 'team.tar')])).code).toBe(0);
  });

  it('says which options it needs', async () => {
    expect((await svc('team', ['backup'])).code).toBe(64);
    expect((await svc('team', ['backup', 'x.tar', '--keep', '2'])).stderr).toContain('--keep needs --to');
    const short = await svc('team', ['backup', home.path('k.tar'), '--with-key'], {
      SVC_BACKUP_PASSPHRASE: 'short',
    });
    expect(short.stderr).toContain('at least 12 characters');
    const nowhere = await home.run(['backup', home.path('k.tar')], {
      env: { SVC_CONFIG_PATH: home.path('team/svc.json') },
    });
    expect(nowhere.stderr).toContain('the stores of');
  });
});

describe('muster restore', () => {
  it('restores everything into an empty place, and the broker starts there', async () => {
    const restored = await svc('new', ['restore', home.path('team.tar')], withKey);
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 message, 0 objectives, 2 file contents, all verified'),
    });
    expect(await contentOf('new')).toEqual(
      expect.arrayContaining(['activity.db', 'main.db', 'svc.json', 'svc.json.kek']),
    );
    expect(await readFile(home.path('new/svc.json.kek'))).toEqual(
      await readFile(home.path('team/svc.json.kek')),
    );
    const second = await home.serve([], at('new'));
    const { messages } = await clientOf(second.url, 'ben').call('history', { query: {} });
    expect(messages.map(({ body }) => body)).toEqual(['before the backup']);
    const read = await fetch(`${second.url}/fs/read/ada/b.txt`, {
      headers: { authorization: `Bearer ${tokens.ada}` },
    });
    expect(await read.text()).toBe('two');
    const { records } = await clientOf(second.url, 'ada').call('audit', { query: {} });
    expect(records.map(({ kind }) => kind)).toEqual(['restored', 'audit_started']);
    expect(
      (await svc('new', ['doctor', '--full', '--url', second.url, '--token', tokens.ada])).stdout,
    ).toMatch(/ok {4}stores: complete and consistent.*\nok {4}contents of files: 2 match their hashes/);
    second.child.kill('SIGTERM');
    await second.ended;
  });

  it('never overwrites, and leaves nothing behind when it refuses', async () => {
    await mkdir(home.path('busy'));
    await writeFile(home.path('busy/main.db'), 'mine');
    const refused = await svc('busy', ['restore', home.path('team.tar')], withKey);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('never overwrites') });
    expect(await contentOf('busy')).toEqual(['main.db']);
    await rm(home.path('busy'), { recursive: true });
    await mkdir(home.path('busy/files'), { recursive: true });
    await writeFile(home.path('busy/files/x'), 'mine');
    expect((await svc('busy', ['restore', home.path('team.tar')], withKey)).stderr).toContain('is not empty');
    expect(await contentOf('busy')).toEqual(['files', 'files/x']);
  });

  it('asks for the passphrase of the key, and can leave the key out', async () => {
    const wrong = await svc('keyed', ['restore', home.path('team.tar')], {
      SVC_BACKUP_PASSPHRASE: 'another one',
    });
    expect(wrong.stderr).toContain('the passphrase does not open the key');
    expect(await contentOf('keyed')).toEqual([]);
    const without = await svc('keyed', ['restore', home.path('team.tar'), '--without-key']);
    expect(without).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the key for secrets was not restored'),
    });
    expect(await contentOf('keyed')).not.toContain('svc.json.kek');
  });

  it.each([
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    [
      'has one other byte in a store',
      (bytes: Buffer) => {
        const changed = Buffer.from(bytes);
        changed[5000] = (changed[5000] ?? 0) ^ 1;
        return changed;
      },
    ],
    ['is no backup', () => Buffer.from('hello')],
  ])('refuses a file that %s', async (_case, damage) => {
    const path = home.path('damaged.tar');
    await writeFile(path, damage(await readFile(home.path('team.tar'))));
    const refused = await svc('damaged', ['restore', path], withKey);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/damaged|cut off|not a complete backup/);
    expect(await contentOf('damaged')).toEqual([]);
  });

  it('restores the newest backup of a folder, or the one that is named', async () => {
    const folder = home.path('history');
    await svc('team', ['backup', '--to', folder]);
    await clientOf(server.url, 'ada').call('push', { body: { body: 'later' } });
    await svc('team', ['backup', '--to', folder]);
    const [first = ''] = (await readdir(folder)).filter((name) => /^\d/.test(name)).sort();
    expect((await svc('newest', ['restore', folder])).stdout).toContain('2 messages');
    expect((await svc('older', ['restore', folder, '--at', first])).stdout).toContain('1 message');
    expect((await svc('none', ['restore', folder, '--at', 'x'])).stderr).toContain(`It has ${first}`);
  });
});

describe('muster restore against somebody else', () => {
  it('leaves what another restore placed, when both run at once', async () => {
    const all = await Promise.all(
      Array.from({ length: 3 }, () => svc('raced', ['restore', home.path('team.tar'), '--without-key'])),
    );
    expect(all.filter(({ code }) => code === 0)).toHaveLength(1);
    for (const { code, stderr } of all)
      if (code !== 0) expect(stderr).toMatch(/never overwrites|cannot be restored/);
    expect(await contentOf('raced')).toEqual(
      expect.arrayContaining(['activity.db', 'files', 'main.db', 'svc.json']),
    );
    expect((await svc('raced', ['doctor', '--full'])).stdout).toContain(
      'contents of files: 2 match their hashes',
    );
  });

  it('writes no certificate outside the folder of the configuration', async () => {
    const victim = home.path('elsewhere/authorized_keys');
    await mkdir(home.path('foreign'));
    const config = JSON.parse(await readFile(home.path('team/svc.json'), 'utf8'));
    await mkdir(home.path('elsewhere'));
    await writeFile(victim, 'ssh-ed25519 AAAA attacker');
    await svc('foreign', ['restore', home.path('team.tar'), '--without-key']);
    const https = { port: 8718, cert: victim, key: 'own.key' };
    await writeFile(home.path('foreign/own.key'), 'key');
    await writeFile(home.path('foreign/svc.json'), JSON.stringify({ ...config, https }));
    await svc('foreign', ['backup', home.path('foreign.tar')]);
    await rm(home.path('elsewhere'), { recursive: true });
    const restored = await svc('victim', ['restore', home.path('foreign.tar')]);
    expect(restored).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('belongs outside this folder'),
    });
    expect(await contentOf('elsewhere')).toEqual([]);
    expect(await readFile(home.path('victim/own.key'), 'utf8')).toBe('key');
  });
});

describe('a folder of backups', () => {
  it('keeps the one that was just made, whatever the others are', async () => {
    const folder = home.path('odd');
    await svc('team', ['backup', '--to', folder]);
    const [first = ''] = (await readdir(folder)).filter((name) => /^\d/.test(name));
    await rename(join(folder, first), join(folder, '20991231T235959Z'));
    await mkdir(join(folder, '20200101T000000Z'));
    await writeFile(join(folder, '20200101T000000Z', 'manifest.json'), 'broken');
    const made = await svc('team', ['backup', '--to', folder, '--keep', '1', '--json']);
    const { path } = JSON.parse(made.stdout);
    expect((await readdir(folder)).filter((name) => /^\d/.test(name))).toEqual([basename(path)]);
    expect((await svc('from-odd', ['restore', folder])).code).toBe(0);
  });
});

describe('muster doctor --full', () => {
  it('names a content that is damaged, and a store that was changed', async () => {
    const folder = home.path('sick');
    await svc('sick', ['restore', home.path('team.tar'), '--without-key']);
    const [hash = ''] = storeRows<{ hash: string }>(
      join(folder, 'main.db'),
      "SELECT hash FROM fs_entry WHERE path = '/ada/a.txt'",
    ).map((row) => row.hash);
    await appendFile(join(folder, 'files', hash.slice(0, 2), hash), '!');
    changeStore(
      join(folder, 'main.db'),
      "DROP TRIGGER audit_is_not_changed; UPDATE audit SET kind = 'login' WHERE seq = 1",
    );
    const { stdout, code } = await svc('sick', ['doctor', '--full']);
    expect(code).toBe(1);
    expect(stdout).toContain('fail  stores: audit log: record 1 was changed');
    expect(stdout).toContain('fail  contents of files: the content of /ada/a.txt is damaged');
    const made = await svc('sick', ['backup', home.path('sick.tar')]);
    expect(made).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('missing or damaged, and so not in the backup: 1 file content;'),
    });
  });
});
