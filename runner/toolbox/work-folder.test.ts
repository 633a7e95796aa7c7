import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkFolder, type WorkFolder } from './work-folder.ts';

let base: string;
let work: string;
let folder: WorkFolder;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'muster-work-')));
  work = join(base, 'work');
  for (const name of ['work', 'work/sub', 'work/.git', 'outside']) mkdirSync(join(base, name));
  writeFileSync(join(base, 'outside/secret'), 'secret');
  writeFileSync(join(work, 'there'), 'there');
  writeFileSync(join(work, '.env'), 'KEY=1');
  symlinkSync(join(base, 'outside'), join(work, 'out'));
  symlinkSync(join(base, 'outside/secret'), join(work, 'linked'));
  linkSync(join(base, 'outside/secret'), join(work, 'named'));
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(work, 'pipe')]);
  folder = createWorkFolder(work, true);
});
afterEach(() => rmSync(base, { recursive: true }));

const bytes = Buffer.from('new');
const outOfReach = [
  '../outside/secret',
  'sub/../../outside/secret',
  'out/secret',
  'linked',
  'named',
  'pipe',
  '.env',
  '.git/config',
  'sub',
  '',
];

describe('the working folder', () => {
  it.each([...outOfReach, '/etc/hostname'])('gives nothing from %j', async (path) => {
    await expect(folder.read(path, 100)).rejects.toThrow(/^local file /);
  });

  it.each([...outOfReach, '/tmp/x', 'out/new', '.mcp.json', 'sub/.hidden/x'])(
    'saves nothing to %j',
    async (path) => {
      await expect(folder.save(path, bytes, true)).rejects.toThrow(/^local file /);
      expect(readFileSync(join(base, 'outside/secret'), 'utf8')).toBe('secret');
      expect(readFileSync(join(work, '.env'), 'utf8')).toBe('KEY=1');
    },
  );

  it('keeps a file that is there unless it is asked to replace it', async () => {
    await expect(folder.save('there', bytes, false)).rejects.toThrow('already exists');
    expect(readFileSync(join(work, 'there'), 'utf8')).toBe('there');
    expect(await folder.save(join(work, 'there'), bytes, true)).toBe('there');
    expect(readFileSync(join(work, 'there'), 'utf8')).toBe('new');
  });

  it('replaces nothing in a run with a person, who would be asked by the agent', async () => {
    const asked = createWorkFolder(join(base, 'work'), false);
    await expect(asked.save('there', bytes, true)).rejects.toThrow('Only an unattended run replaces it');
    expect(readFileSync(join(work, 'there'), 'utf8')).toBe('there');
  });

  it('makes no folder behind a link', async () => {
    await expect(folder.save('out/made/x', bytes, true)).rejects.toThrow(/^local file /);
    expect(existsSync(join(base, 'outside/made'))).toBe(false);
  });

  it('makes the last folder of a path', async () => {
    expect(await folder.save('made/here.txt', bytes, false)).toBe('made/here.txt');
    expect((await folder.read('made/here.txt', 3)).toString()).toBe('new');
    await expect(folder.read('made/here.txt', 2)).rejects.toThrow('larger than 2 bytes');
  });
});
