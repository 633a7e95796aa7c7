import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writePrivateFile } from './private-file.ts';

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'muster-private-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
};

test('a file that others could read before is private once it is replaced', async () => {
  const path = join(await folder(), 'recovery.key');
  await writeFile(path, 'old', { mode: 0o644 });
  await writePrivateFile(path, 'new');
  expect(await readFile(path, 'utf8')).toBe('new');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('what cannot be put in place leaves nothing behind', async () => {
  const path = await folder();
  await expect(writePrivateFile(join(path, 'missing', 'a'), 'x')).rejects.toThrow('ENOENT');
  await expect(writePrivateFile(path, 'x')).rejects.toThrow();
  expect(await readdir(path)).toEqual([]);
});
