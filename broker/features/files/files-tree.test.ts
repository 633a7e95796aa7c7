import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FsEntry } from '#protocol/files.ts';
import { limits } from '#protocol/limits.ts';
import { startTestBroker } from '../../testing/test-broker.ts';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

let team: FileTeam;
beforeAll(async () => {
  team = await startFileTeam({ members: { ada: ['admin'], ben: [], cy: [] } });
});
afterAll(() => team.stop());

const statusOf = async (reply: Promise<Response>) => (await reply).status;
const entryOf = async (reply: Promise<Response>) =>
  ((await (await reply).json()) as { entry: FsEntry }).entry;

describe('GET /fs/ls', () => {
  it('lists a directory by name, with files and directories marked', async () => {
    for (const name of ['b.txt', 'a.txt', 'dir/x', 'B.txt', 'é', 'dir-2'])
      await team.write('ben', `/ben/ls/${name}`, 'x');
    expect(await team.names('ben', '/ben/ls')).toEqual(['B.txt', 'a.txt', 'b.txt', 'dir/', 'dir-2', 'é']);
    expect(await team.names('ben', '/ben/ls/')).toEqual(await team.names('ben', '/ben/ls'));
    const { entries } = (await (await team.ask('ben', 'ls', '/ben/ls')).json()) as { entries: FsEntry[] };
    expect(entries.find(({ name }) => name === 'dir')).toEqual({
      path: '/ben/ls/dir',
      name: 'dir',
      kind: 'directory',
      owner: 'ben',
      size: null,
      mimeType: null,
      hash: null,
      createdAt: expect.any(Number),
      createdBy: 'ben',
      updatedAt: expect.any(Number),
    });
  });

  it('is answered whole, or in pages of the size that was asked for, in the same order', async () => {
    const count = 2 * limits.fsListMax + 3;
    for (let from = 0; from < count; from += 100) {
      const names = Array.from({ length: Math.min(100, count - from) }, (_, n) => `d${from + n}`);
      await Promise.all(
        names.map((name) => team.post('cy', 'mkdir', { path: `/cy/many/${name}`, recursive: true })),
      );
    }
    const whole = await team.names('cy', '/cy/many');
    expect(whole).toEqual(Array.from({ length: count }, (_, n) => `d${n}/`).sort());
    const read: string[] = [];
    for (let after: string | undefined; ; ) {
      const query = { limit: '900', ...(after !== undefined && { after }) };
      const { entries } = (await (await team.ask('cy', 'ls', '/cy/many', query)).json()) as {
        entries: FsEntry[];
      };
      read.push(...entries.map(({ name }) => `${name}/`));
      after = entries.at(-1)?.path;
      if (entries.length < 900) break;
    }
    expect(read).toEqual(whole);
    for (const limit of ['0', String(limits.fsListMax + 1), 'x'])
      expect(await statusOf(team.ask('cy', 'ls', '/cy/many', { limit }))).toBe(400);
    await team.ask('cy', 'rm', '/cy/many', { recursive: 'true' });
  });

  it('pages the way to granted files as well', async () => {
    for (const name of ['w1/x', 'w2', 'w3/y']) {
      await team.write('ben', `/ben/way/${name}`, 'x');
      await team.share('ben', 'cy', `/ben/way/${name}`);
    }
    const page = async (query: Record<string, string>) => {
      const reply = await team.ask('cy', 'ls', '/ben/way', query);
      return ((await reply.json()) as { entries: FsEntry[] }).entries.map(({ name }) => name);
    };
    expect(await page({ limit: '2' })).toEqual(['w1', 'w2']);
    expect(await page({ limit: '2', after: '/ben/way/w2' })).toEqual(['w3']);
    await team.ask('ben', 'rm', '/ben/way', { recursive: 'true' });
  });

  it('answers 404 for a missing directory and 400 for a file', async () => {
    await team.write('ben', '/ben/file', 'x');
    expect(await statusOf(team.ask('ben', 'ls', '/ben/none'))).toBe(404);
    expect(await statusOf(team.ask('ben', 'ls', '/ben/file/below'))).toBe(404);
    expect(await statusOf(team.ask('ben', 'ls', '/ben/file'))).toBe(400);
  });

  it('shows one’s own empty home as [] from the member’s creation, and lists it in /', async () => {
    expect(await team.names('cy', '/cy')).toEqual([]);
    expect(await team.names('cy', '/')).toEqual(['cy/']);
    const member = { name: 'gil', role: { title: 'x' }, permissions: [] };
    const headers = { 'content-type': 'application/json' };
    const made = await team.fetch('ada', '/members', {
      method: 'POST',
      headers,
      body: JSON.stringify(member),
    });
    const { token } = (await made.json()) as { token: string };
    const reply = await fetch(`${team.url}/fs/ls?path=/gil`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect([reply.status, await reply.json()]).toEqual([200, { entries: [] }]);
    expect(await team.names('ada', '/')).toEqual(['ada/', 'ben/', 'cy/', 'gil/']);
  });
});

describe('GET /fs/stat', () => {
  it('returns the entry of a file, a directory, a home, and the root, and 404 for what is missing', async () => {
    expect(await entryOf(team.ask('cy', 'stat', '/cy'))).toMatchObject({
      path: '/cy',
      kind: 'directory',
      owner: 'cy',
    });
    expect(await entryOf(team.ask('cy', 'stat', '/'))).toMatchObject({
      path: '/',
      name: '/',
      kind: 'directory',
    });
    expect(await statusOf(team.ask('cy', 'stat', '/cy/none'))).toBe(404);
  });
});

describe('POST /fs/mkdir', () => {
  const mkdirAs = (member: string, path: string, recursive?: boolean) =>
    team.post(member, 'mkdir', { path, ...(recursive !== undefined && { recursive }) });

  it('returns the entry', async () => {
    expect(await entryOf(mkdirAs('ben', '/ben/made'))).toMatchObject({
      path: '/ben/made',
      kind: 'directory',
      createdBy: 'ben',
    });
  });

  it('answers 200 for what exists if recursive, else 409; for a file always 409', async () => {
    await mkdirAs('ben', '/ben/twice');
    await team.write('ben', '/ben/no-dir', 'x');
    expect(await statusOf(mkdirAs('ben', '/ben/twice'))).toBe(409);
    expect(await statusOf(mkdirAs('ben', '/ben/twice', true))).toBe(200);
    expect(await statusOf(mkdirAs('ben', '/ben', true))).toBe(200);
    expect(await statusOf(mkdirAs('ben', '/ben'))).toBe(409);
    expect(await statusOf(mkdirAs('ben', '/ben/no-dir', true))).toBe(409);
    expect(await statusOf(mkdirAs('ben', '/ben/no-dir/x', true))).toBe(409);
  });

  it('answers 404 below a missing parent unless recursive', async () => {
    expect(await statusOf(mkdirAs('ben', '/ben/p/q'))).toBe(404);
    expect(await statusOf(mkdirAs('ben', '/ben/p/q', true))).toBe(200);
    expect(await team.names('ben', '/ben/p')).toEqual(['q/']);
  });

  it('needs members.manage outside one’s home; only the broker creates homes', async () => {
    expect(await statusOf(mkdirAs('ben', '/cy/x'))).toBe(403);
    expect(await statusOf(mkdirAs('ben', '/', true))).toBe(403);
    expect(await statusOf(mkdirAs('ben', '/zoe'))).toBe(403);
    expect(await statusOf(mkdirAs('ada', '/cy/x'))).toBe(200);
    expect(await statusOf(mkdirAs('ada', '/zoe'))).toBe(400);
    expect(await statusOf(mkdirAs('ada', '/zoe/x', true))).toBe(404);
  });

  it.each([[{}], [{ path: 'x' }], [{ path: '/ben/x', recursive: 'yes' }]])('refuses %j', async (body) => {
    expect(await statusOf(team.post('ben', 'mkdir', body))).toBe(400);
  });
});

describe('DELETE /fs/rm', () => {
  it('removes a file or an empty directory, and answers 404 for what is missing', async () => {
    await team.write('ben', '/ben/rm/x', 'x');
    expect(await statusOf(team.ask('ben', 'rm', '/ben/rm/x'))).toBe(204);
    expect(await statusOf(team.ask('ben', 'rm', '/ben/rm/x'))).toBe(404);
    expect(await statusOf(team.ask('ben', 'rm', '/ben/rm'))).toBe(204);
    expect(await statusOf(team.ask('ben', 'stat', '/ben/rm'))).toBe(404);
  });

  it('answers 409 for a directory that is not empty without recursive; with it, everything below goes, and nothing beside it', async () => {
    const beside = ['/ben/tree-1', '/ben/tree.txt', '/ben/tree0'];
    for (const path of ['/ben/tree/a', '/ben/tree/b/c', ...beside]) await team.write('ben', path, path);
    const before = await team.blobs();
    expect(await statusOf(team.ask('ben', 'rm', '/ben/tree'))).toBe(409);
    expect(await statusOf(team.ask('ben', 'rm', '/ben/tree', { recursive: 'false' }))).toBe(409);
    expect(await statusOf(team.ask('ben', 'rm', '/ben/tree', { recursive: 'true' }))).toBe(204);
    expect(await statusOf(team.ask('ben', 'stat', '/ben/tree/b/c'))).toBe(404);
    for (const path of beside) expect(await (await team.get('ben', path)).text()).toBe(path);
    expect(await team.blobs()).toHaveLength(before.length - 2);
  });

  it('answers 403 for a home or /, also to managers', async () => {
    for (const path of ['/', '/ben', '/cy', '/zoe'])
      for (const member of ['ada', 'ben'])
        expect(await statusOf(team.ask(member, 'rm', path, { recursive: 'true' }))).toBe(403);
  });
});

describe('POST /fs/mv', () => {
  const move = (member: string, from: string, to: string) => team.post(member, 'mv', { from, to });

  it('moves a single file and returns its entry', async () => {
    const { entry } = await team.write('ben', '/ben/from.txt', 'moved');
    await team.post('ben', 'mkdir', { path: '/ben/target' });
    const moved = await entryOf(move('ben', '/ben/from.txt', '/ben/target/to.txt'));
    expect(moved).toMatchObject({ path: '/ben/target/to.txt', hash: entry.hash, createdAt: entry.createdAt });
    expect(await statusOf(team.ask('ben', 'stat', '/ben/from.txt'))).toBe(404);
    expect(await (await team.get('ben', '/ben/target/to.txt')).text()).toBe('moved');
  });

  it.each([
    ['onto what exists', '/ben/m1', '/ben/m2', 409],
    ['onto itself', '/ben/m1', '/ben/m1', 409],
    ['onto a directory', '/ben/m1', '/ben/md', 409],
    ['of a directory', '/ben/md', '/ben/md2', 400],
    ['of one’s home', '/ben', '/ben/x', 400],
    ['of what is missing', '/ben/none', '/ben/x', 404],
    ['below a missing directory', '/ben/m1', '/ben/none/x', 404],
    ['below a file', '/ben/m1', '/ben/m2/x', 409],
    ['to where a home would be', '/ben/m1', '/m1', 403],
    ['into another home', '/ben/m1', '/cy/m1', 403],
    ['out of another home', '/cy/m1', '/ben/m3', 403],
  ])('%s is refused', async (_, from, to, status) => {
    await team.write('ben', '/ben/m1', '1', { collide: 'overwrite' });
    await team.write('ben', '/ben/m2', '2', { collide: 'overwrite' });
    await team.post('ben', 'mkdir', { path: '/ben/md', recursive: true });
    expect(await statusOf(move('ben', from, to))).toBe(status);
    expect(await (await team.get('ben', '/ben/m1')).text()).toBe('1');
  });

  it('is for managers between homes', async () => {
    await team.write('ben', '/ben/given', 'x');
    expect(await entryOf(move('ada', '/ben/given', '/cy/given'))).toMatchObject({
      owner: 'cy',
      createdBy: 'ben',
    });
    expect(await statusOf(move('ada', '/cy/given', '/zoe/given'))).toBe(404);
  });
});

describe('a broker without a files block', () => {
  it('answers every /fs route with 503 and the reason files_off, never with an empty list', async () => {
    const bare = await startTestBroker();
    onTestFinished(() => bare.stop());
    for (const [method, path] of [
      ['GET', '/fs/ls?path=/'],
      ['GET', '/fs/stat?path=x'],
      ['GET', '/fs/read/ada/x'],
      ['POST', '/fs/write?path=/ada/x'],
      ['POST', '/fs/mkdir'],
      ['DELETE', '/fs/rm?path=/ada/x'],
      ['POST', '/fs/mv'],
      ['GET', '/fs/shared'],
      ['GET', '/fs/grants?path=/ada/x'],
    ] as const) {
      const reply = await bare.fetch('ada', path, { method, ...(method === 'POST' && { body: 'x' }) });
      expect([path, reply.status, await reply.json()]).toMatchObject([
        path,
        503,
        { error: 'unavailable', reason: 'files_off' },
      ]);
    }
  });
});

describe('files.root', () => {
  it('belongs to one store: with another one, files are off, and nothing is deleted', async () => {
    const first = await startFileTeam({ onDisk: true });
    onTestFinished(() => first.stop());
    const { entry } = await first.write('ada', '/ada/precious', 'precious');
    await expect(startFileTeam({ onDisk: true, root: first.filesRoot })).rejects.toThrow(
      `the files of a store are in "${first.filesRoot}"`,
    );
    const other = await startFileTeam({ onDisk: true, root: first.filesRoot, beginAnew: true });
    onTestFinished(() => other.stop());
    expect(other.broker.notices.join()).toContain('holds the files of another store');
    const reply = await other.put('ada', '/ada/x', 'x');
    expect([reply.status, await reply.json()]).toMatchObject([503, { error: 'unavailable' }]);
    const forgotten = await startFileTeam({ root: first.filesRoot });
    onTestFinished(() => forgotten.stop());
    expect((await forgotten.ask('ada', 'ls', '/ada')).status).toBe(200);
    expect((await forgotten.put('ada', '/ada/x', 'x')).status).toBe(503);
    await first.restart();
    expect(await (await first.get('ada', '/ada/precious')).text()).toBe('precious');
    expect(await first.blobs()).toEqual([entry.hash]);
  });

  it('is swept at start: blobs without an entry are deleted, and nothing that is not a blob', async () => {
    const swept = await startFileTeam({ onDisk: true });
    onTestFinished(() => swept.stop());
    const { entry } = await swept.write('ada', '/ada/kept', 'kept');
    await mkdir(join(swept.filesRoot, 'ab'), { recursive: true });
    const stray = ['.incoming/7', `ab/ab${'0'.repeat(62)}`];
    const foreign = ['notes.txt', 'ab/notes.txt', `ab/cd${'0'.repeat(62)}`];
    for (const name of [...stray, ...foreign]) await writeFile(join(swept.filesRoot, name), 'x');
    await swept.restartSwept();
    expect(await swept.incoming()).toEqual([]);
    expect((await swept.blobs()).sort()).toEqual([entry.hash, `cd${'0'.repeat(62)}`].sort());
    expect(await (await swept.get('ada', '/ada/kept')).text()).toBe('kept');
  });

  it('that cannot be used is reported at start and answered with 503, while everything else works', async () => {
    const broken = await startFileTeam({ root: '/dev/null/files' });
    onTestFinished(() => broken.stop());
    expect(broken.broker.notices.join()).toContain('"/dev/null/files" cannot be used (ENOTDIR)');
    expect((await broken.put('ada', '/ada/x', 'x')).status).toBe(503);
    expect((await broken.fetch('ada', '/roster')).status).toBe(200);
  });
});
