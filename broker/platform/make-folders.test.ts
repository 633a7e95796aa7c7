import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolders, removeEmptyFolders } from './make-folders.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-folders-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const refused = { code: expect.stringMatching(/ENOTDIR|ENOENT|EEXIST/) };
const at = (...names: string[]) => join(folder, ...names);

describe('makeFolders', () => {
  it('creates what is missing, private, and returns only that', async () => {
    await mkdir(at('there'), { mode: 0o755 });
    expect(await makeFolders(at('there', 'a', 'b'))).toEqual([at('there', 'a'), at('there', 'a', 'b')]);
    if (process.platform !== 'win32') expect((await stat(at('there', 'a'))).mode & 0o777).toBe(0o700);
    expect(await makeFolders(at('there', 'a', 'b'))).toEqual([]);
  });

  it('refuses a way through a file, with nothing left behind', async () => {
    await writeFile(at('file'), '');
    await expect(makeFolders(at('file', 'a'))).rejects.toMatchObject(refused);
    await expect(makeFolders(at('file'))).rejects.toMatchObject(refused);
    expect(await readdir(folder)).toEqual(['file']);
  });

  it.runIf(process.platform === 'linux')('ends where nobody can create a folder', async () => {
    await expect(makeFolders('/proc/nope/a')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('removeEmptyFolders', () => {
  it('keeps a folder into which somebody has put something', async () => {
    const made = await makeFolders(at('a', 'b', 'c'));
    await writeFile(at('a', 'mine'), '');
    await removeEmptyFolders(made);
    expect(await readdir(at('a'))).toEqual(['mine']);
  });
});
