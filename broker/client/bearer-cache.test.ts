import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withFileLock } from '#platform/file-lock.ts';
import { createBearerCache } from './bearer-cache.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bearer-cache-'));
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('the bearer cache', () => {
  it('is a file with schema 1 and entries of url, token, and savedAt in epoch milliseconds', async () => {
    const path = join(folder, 'auth.json');
    await createBearerCache({ path, clock: () => 1_700_000_000_123 }).save('http://a:1', 'svc_a');
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      schema: 1,
      entries: [{ url: 'http://a:1', token: 'svc_a', savedAt: 1_700_000_000_123 }],
    });
  });

  it('keeps further addresses of an entry, also with another token, and has no field without them', async () => {
    const path = join(folder, 'auth.json');
    const cache = createBearerCache({ path, clock: () => 1 });
    await cache.save('https://a:1', 'svc_a');
    await cache.keepAddresses('https://nobody:1', ['https://b:1']);
    await cache.keepAddresses('https://a:1', ['https://b:1']);
    await cache.save('https://a:1', 'svc_b');
    const kept = { url: 'https://a:1', token: 'svc_b', savedAt: 1 };
    expect(await cache.entries()).toEqual([{ ...kept, addresses: ['https://b:1'] }]);
    await cache.keepAddresses('https://a:1', []);
    expect(JSON.parse(await readFile(path, 'utf8')).entries).toEqual([kept]);
  });

  it('is written with mode 0600 in folders of 0700, also over a file that was more open', async () => {
    const path = join(folder, 'deep', 'er', 'auth.json');
    const cache = createBearerCache({ path });
    await cache.save('http://a:1', 'svc_a');
    await chmod(path, 0o644);
    await cache.save('http://a:1', 'svc_b');
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(join(folder, 'deep'))).toBe(0o700);
    expect(await modeOf(join(folder, 'deep', 'er'))).toBe(0o700);
    expect(await readdir(join(folder, 'deep', 'er'))).toEqual(['auth.json']);
  });

  it('keeps one entry per URL; the latest write for a URL wins', async () => {
    const cache = createBearerCache({ path: join(folder, 'auth.json') });
    await cache.save('http://a:1', 'svc_old');
    await cache.save('http://b:1', 'svc_b');
    await cache.save('http://a:1', 'svc_new');
    expect((await cache.entries()).map(({ url, token }) => [url, token])).toEqual([
      ['http://b:1', 'svc_b'],
      ['http://a:1', 'svc_new'],
    ]);
  });

  it('is looked up by an exact match: no trailing-slash normalization and no scheme upgrade', async () => {
    const cache = createBearerCache({ path: join(folder, 'auth.json') });
    await cache.save('http://a:1', 'svc_a');
    expect((await cache.find('http://a:1'))?.token).toBe('svc_a');
    expect(await cache.find('http://a:1/')).toBeUndefined();
    expect(await cache.find('https://a:1')).toBeUndefined();
  });

  it.each([
    '',
    '{',
    '[]',
    '{"schema":2,"entries":[]}',
    '{"schema":1,"entries":[{"url":"http://a:1"}]}',
    '{"schema":1,"entries":[{"url":"http://a:1","token":"svc_a","savedAt":1,"addresses":[1]}]}',
  ])('answers a damaged file (%s) with one sentence that names it, and leaves it as it is', async (text) => {
    const path = join(folder, 'auth.json');
    await writeFile(path, text);
    const cache = createBearerCache({ path });
    await expect(cache.entries()).rejects.toThrow(
      `the bearer cache "${path}" is damaged and was left as it is`,
    );
    await expect(cache.save('http://a:1', 'svc_a')).rejects.toThrow('is damaged');
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(await readdir(folder)).toEqual(['auth.json']);
  });

  it('stays a link if it is one', async () => {
    const path = join(folder, 'auth.json');
    await writeFile(join(folder, 'real.json'), '{"schema":1,"entries":[]}');
    await symlink(join(folder, 'real.json'), path);
    await createBearerCache({ path }).save('http://a:1', 'svc_a');
    expect(await readFile(join(folder, 'real.json'), 'utf8')).toContain('svc_a');
    expect(await readFile(path, 'utf8')).toContain('svc_a');
  });

  it('takes over the lock of a process that died', async () => {
    const path = join(folder, 'auth.json');
    const lock = `${path}.lock`;
    await writeFile(lock, 'somebody gone');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lock, longAgo, longAgo);
    await createBearerCache({ path }).save('http://a:1', 'svc_a');
    expect(await readdir(folder)).toEqual(['auth.json']);
  });

  it('leaves the lock of a living process alone, however long that process stands still', async () => {
    const path = join(folder, 'auth.json');
    const lock = `${path}.lock`;
    const longAgo = new Date(Date.now() - 60_000);
    await withFileLock(lock, async () => {
      await utimes(lock, longAgo, longAgo);
      const other = withFileLock(lock, () => Promise.reject(new Error('both have it')), 200);
      await expect(other).rejects.toThrow('is held by another process');
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('loses nothing when processes write at once', async () => {
    const path = join(folder, 'auth.json');
    const program = `
      const { createBearerCache } = await import(${JSON.stringify(join(import.meta.dirname, 'bearer-cache.ts'))});
      const cache = createBearerCache({ path: process.argv[1] });
      for (let i = 0; i < 10; i++) await cache.save('http://' + process.argv[2] + ':' + (i + 1), 'svc_x');`;
    const exits = ['a', 'b', 'c'].map(async (host) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program, path, host], {
        stdio: 'inherit',
      });
      const [code] = await once(child, 'exit');
      return code;
    });
    expect(await Promise.all(exits)).toEqual([0, 0, 0]);
    expect(await createBearerCache({ path }).entries()).toHaveLength(30);
    expect(await readdir(folder)).toEqual(['auth.json']);
  });
});
