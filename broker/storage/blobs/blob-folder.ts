/**
 * The folder of blobs, `<root>/<first two hex>/<sha256>`, 0600 in 0700. It belongs to one store on disk,
 * whose id it keeps: another store refers to none of its blobs and would delete them all
 * (specification/files.md#blobs).
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { refuse } from '#protocol/errors.ts';

export interface BlobFolder {
  root: string;
  /** Returns a name for bytes that are arriving. */
  incoming(): string;
  pathOf(hash: string): string;
  /** Yields the hashes of every blob, folder by folder. */
  listed(): AsyncGenerator<string[]>;
}

export interface FolderOwner {
  storeId: string;
  /** False for a store in memory, which owns nothing after it ends. */
  isOnDisk: boolean;
  /** Other machines use the folder when this one is not the active one. */
  isShared: boolean;
}

const folderMode = 0o700;

/**
 * Creates what is missing and removes what a killed broker left half-written. @throws BrokerError unavailable
 * if another store owns the folder; system errors.
 */
export async function openBlobFolder(root: string, owner: FolderOwner): Promise<BlobFolder> {
  const incoming = join(root, '.incoming');
  await mkdir(incoming, { recursive: true, mode: folderMode });
  await claim(root, owner);
  for (const name of await readdir(incoming)) await rm(join(incoming, name), { force: true });
  let received = 0;
  // Another machine may still write into a file of its own.
  const session = randomUUID();
  return {
    root,
    incoming() {
      received += 1;
      return join(incoming, `${session}-${received}`);
    },
    pathOf: (hash) => join(root, hash.slice(0, 2), hash),
    async *listed() {
      for (const prefix of await readdir(root)) {
        if (!/^[0-9a-f]{2}$/.test(prefix)) continue;
        const names = await readdir(join(root, prefix));
        yield names.filter((name) => /^[0-9a-f]{64}$/.test(name) && name.startsWith(prefix));
      }
    },
  };
}

async function claim(root: string, { storeId, isOnDisk }: FolderOwner): Promise<void> {
  const mark = join(root, '.store');
  const owner = await readFile(mark, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (owner?.trim() === storeId) return;
  if (owner !== null) {
    refuse('files_of_another_store', { root });
  }
  if (isOnDisk) await replacePrivateFile(mark, `${storeId}\n`);
}
