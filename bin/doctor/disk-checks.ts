/** Whether the disks of the stores have space left (specification/files.md#writing). */
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { inMemory, type NamedStores } from '#platform/store-places.ts';
import { limits } from '#protocol/limits.ts';
import { sizeText } from '../files/size-text.rules.ts';
import { type Finding, ok, skip, warn } from './finding.ts';

/** `floor`: the configured number of bytes below which the broker accepts no files. */
export async function checkDisks(
  { main, activity }: NamedStores,
  floor: number | undefined,
): Promise<Finding[]> {
  const files = [main, activity].flatMap((file) => (file === null || file === inMemory ? [] : [file]));
  const folders = [...new Set(files.map((file) => dirname(resolve(file))))];
  if (folders.length === 0) return [skip('disk', 'nothing names a file for a store')];
  return Promise.all(folders.map((folder) => checkDisk(folder, floor)));
}

async function checkDisk(folder: string, floor: number | undefined): Promise<Finding> {
  const disk = await statfs(folder).catch(() => null);
  if (disk === null) return skip('disk', `there is no folder "${folder}" yet, or it cannot be read`);
  const free = disk.bavail * disk.bsize;
  const least = floor ?? Math.min(limits.freeDisk.bytes, limits.freeDisk.share * disk.blocks * disk.bsize);
  const detail = `${sizeText(free)} free for "${folder}"`;
  if (free >= least) return ok('disk', detail);
  return warn(
    'disk',
    `${detail}, less than the ${sizeText(least)} below which the broker accepts no files`,
    'free space on this disk, or move the stores to another one',
  );
}
