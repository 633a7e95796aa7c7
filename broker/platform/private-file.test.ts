import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modeOf, readText, tempFolder } from '../config/testing/config-fixture.ts';
import { createPrivateFile, isContentOf, removeLeftovers, replacePrivateFile } from './private-file.ts';

describe('writing a file atomically', () => {
  it('creates the file with mode 0600 and its folders with 0700', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'a', 'b', 'svc.json');
    await replacePrivateFile(path, 'x');
    expect(await readText(path)).toBe('x');
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(join(folder, 'a'))).toBe(0o700);
    expect(await modeOf(join(folder, 'a', 'b'))).toBe(0o700);
  });

  it('replaces the whole content with another file, so that a reader of the old one keeps it whole', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'svc.json');
    await writeFile(path, 'a longer text than the next', { mode: 0o644 });
    const before = await stat(path);
    await replacePrivateFile(path, 'short');
    expect(await readText(path)).toBe('short');
    expect((await stat(path)).ino).not.toBe(before.ino);
    expect(await modeOf(path)).toBe(0o600);
    expect(await readdir(folder)).toEqual(['svc.json']);
  });

  it('writes pieces one after the other, and tells whether a file holds them', async () => {
    const path = join(await tempFolder(), 'svc.json');
    const pieces = Array.from({ length: 20 }, (_, at) => Buffer.from(`piece ${at}, `.repeat(at)));
    await replacePrivateFile(path, pieces);
    const text = Buffer.concat(pieces).toString();
    expect(await readText(path)).toBe(text);
    expect(await isContentOf(path, pieces)).toBe(true);
    for (const other of [`${text}.`, text.slice(1), `${text.slice(0, -1)}.`, `.${text.slice(1)}`, '']) {
      await writeFile(path, other);
      expect(await isContentOf(path, pieces)).toBe(false);
    }
  });

  it('writes through a symbolic link and leaves it a link', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'elsewhere'));
    await writeFile(join(folder, 'elsewhere', 'real.json'), 'old');
    await symlink(join(folder, 'elsewhere', 'real.json'), join(folder, 'svc.json'));
    await replacePrivateFile(join(folder, 'svc.json'), 'new');
    expect(await readText(join(folder, 'elsewhere', 'real.json'))).toBe('new');
    expect(await readdir(join(folder, 'elsewhere'))).toEqual(['real.json']);
  });

  it('leaves nothing behind when it fails', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'svc.json');
    await mkdir(path);
    await expect(replacePrivateFile(path, 'x')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['svc.json']);
  });
});

describe('creating a file atomically', () => {
  it('never replaces an existing one', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'svc.json');
    await writeFile(path, 'theirs');
    expect(await createPrivateFile(path, 'mine')).toBe(false);
    expect(await readText(path)).toBe('theirs');
    expect(await readdir(folder)).toEqual(['svc.json']);
  });

  it('lets exactly one of many callers at once create it', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'new', 'svc.json');
    const contents = Array.from({ length: 20 }, (_, i) => `content ${i}`);
    const made = await Promise.all(contents.map((content) => createPrivateFile(path, content)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await readText(path)).toBe(contents[made.indexOf(true)]);
    expect(await modeOf(path)).toBe(0o600);
    expect(await readdir(join(folder, 'new'))).toEqual(['svc.json']);
  });

  it('does not mistake a file in place of its folder for the file itself', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a'), '');
    await expect(createPrivateFile(join(folder, 'a', 'svc.json'), 'x')).rejects.toThrow();
  });
});

it('removes what a killed writer left, but not what is recent or of another file', async () => {
  const folder = await tempFolder();
  const path = join(folder, 'svc.json');
  const names = [
    'svc.json.0123456789ab.tmp',
    'svc.json.ba9876543210.tmp',
    'svc.json.kek',
    'other.0123456789ab.tmp',
  ];
  for (const name of names) await writeFile(join(folder, name), name);
  const longAgo = new Date(Date.now() - 120_000);
  for (const name of names.filter((name) => !name.includes('ba98')))
    await utimes(join(folder, name), longAgo, longAgo);
  await removeLeftovers(path);
  expect((await readdir(folder)).sort()).toEqual([
    'other.0123456789ab.tmp',
    'svc.json.ba9876543210.tmp',
    'svc.json.kek',
  ]);
  expect(await readFile(join(folder, 'svc.json.kek'), 'utf8')).toBe('svc.json.kek');
});
