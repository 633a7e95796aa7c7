/** A folder of backups: which ones are in it, and whether the contents that they share are whole. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { BackupManifest, type BackupStep, blobName, manifestName } from './backup-format.ts';

type Blob = BackupManifest['blobs'][number];

export const isSnapshotName = (name: string): boolean => /^\d{8}T\d{6}Z(?:-\d+)?$/.test(name);

/** @throws the system's error. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Returns the names of complete backups in a folder, oldest first. @throws the system's error. */
export async function snapshotsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  const complete: string[] = [];
  for (const name of names.filter(isSnapshotName).sort())
    if (await isThere(join(folder, name, manifestName))) complete.push(name);
  return complete;
}

/** Null for a manifest that cannot be read. */
export async function readManifest(folder: string, name: string): Promise<BackupManifest | null> {
  try {
    return BackupManifest.parse(JSON.parse(await readFile(join(folder, name, manifestName), 'utf8')));
  } catch {
    return null;
  }
}

/** @throws the system's error. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

const dayMs = 86_400_000;
const shares = 5;

/** Disks rot, so each content is read again on one of five days. */
const isDue = (hash: string, at: number): boolean =>
  Number.parseInt(hash.slice(0, 2), 16) % shares === Math.floor(at / dayMs) % shares;

/** Whether the folder has this content: with its size, and with its hash if it is to be read. */
export async function isWhole(folder: string, { hash, bytes }: Blob, isRead: boolean): Promise<boolean> {
  const path = join(folder, blobName(hash));
  const present = await stat(path).catch(() => null);
  if (present?.size !== bytes) return false;
  return !isRead || (await hashOf(path).catch(() => null)) === hash;
}

export interface SharedContents {
  /** The hashes of all contents that a backup in the folder has. */
  known: ReadonlySet<string>;
  damaged: readonly Blob[];
}

/** Compares the sizes of all contents that backups share, and the bytes of those that are due on this day. */
export async function checkShared(
  folder: string,
  at: number,
  onProgress: (step: BackupStep) => void,
): Promise<SharedContents> {
  const blobByHash = new Map<string, Blob>();
  for (const name of await snapshotsIn(folder))
    for (const blob of (await readManifest(folder, name))?.blobs ?? []) blobByHash.set(blob.hash, blob);
  const damaged: Blob[] = [];
  let done = 0;
  for (const blob of blobByHash.values()) {
    onProgress({ what: 'checked', unit: 'files', done: done++, total: blobByHash.size });
    if (!(await isWhole(folder, blob, isDue(blob.hash, at)))) damaged.push(blob);
  }
  return { known: new Set(blobByHash.keys()), damaged };
}
