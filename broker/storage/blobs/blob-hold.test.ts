import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { areBlobsHeld, holdBlobs } from './blob-hold.ts';

async function folder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'muster-hold-'));
  onTestFinished(() => rm(root, { recursive: true }));
  return root;
}

it('holds contents until the last backup lets go, and leaves nothing behind', async () => {
  const root = await folder();
  expect(await areBlobsHeld(root)).toBe(false);
  const [first, second] = [await holdBlobs(root), await holdBlobs(root)];
  expect(await areBlobsHeld(root)).toBe(true);
  await first();
  expect(await areBlobsHeld(root)).toBe(true);
  await second();
  expect(await areBlobsHeld(root)).toBe(false);
  expect(await readdir(root)).toEqual([]);
});

it('ends with a backup that was killed', async () => {
  const root = await folder();
  const letGo = await holdBlobs(root);
  const [name = ''] = await readdir(join(root, '.holds'));
  const longAgo = new Date(Date.now() - 600_000);
  await utimes(join(root, '.holds', name), longAgo, longAgo);
  expect(await areBlobsHeld(root)).toBe(false);
  await letGo();
  await mkdir(join(root, '.holds'), { recursive: true });
  expect(await areBlobsHeld(root)).toBe(false);
});
