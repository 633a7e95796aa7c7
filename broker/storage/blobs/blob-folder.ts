/**
 * The folder of blobs, `<root>/<first two hex>/<sha256>`, 0600 in 0700. It belongs to one store on disk,
 * whose id it keeps: another store refers to none of its blobs and would delete them all
 * (specification/files.md#blobs).
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { replacePrivateFile, syncFolder } from '#platform/private-file.ts';
import { refuse } from '#protocol/errors.ts';
import { areBlobsHeld } from './blob-hold.ts';
import type { BlobPlace, PlaceOwner, Unreferenced } from './blob-place.ts';
import { createBlobTrash } from './blob-trash.ts';
import { claimSharedFolder, refuseUnmarked } from './shared-mark.ts';

const folderMode = 0o700;

/**
 * Creates what is missing and removes what a killed broker left half-written. @throws BrokerError unavailable
 * if another store owns the folder, or the machines share another one; system errors.
 */
export async function openBlobFolder(
  root: string,
  owner: PlaceOwner,
  unreferenced: Unreferenced,
): Promise<BlobPlace> {
  const incoming = join(root, '.incoming');
  const mark = owner.sharedMark === null ? null : await claimSharedFolder(root, owner.sharedMark);
  await mkdir(incoming, { recursive: true, mode: folderMode });
  await claim(root, owner);
  for (const name of await readdir(incoming)) await rm(join(incoming, name), { force: true });
  const pathOf = (hash: string): string => join(root, hash.slice(0, 2), hash);
  const trash = mark === null ? null : createBlobTrash(root, pathOf, unreferenced);
  const opened = (hash: string) =>
    open(pathOf(hash), 'r').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    });
  return {
    isRemote: false,
    incoming,
    /** The rename makes the bytes visible as a whole, and the sync of the folder makes it durable. */
    async put(received, { hash, size }) {
      const target = pathOf(hash);
      const present = await stat(target).catch(() => null);
      // It may have been unmounted since.
      if (mark !== null) await refuseUnmarked(root, mark);
      if (present?.size === size) return;
      const made = await mkdir(dirname(target), { recursive: true, mode: folderMode });
      await rename(received, target);
      await syncFolder(dirname(target));
      if (made !== undefined) await syncFolder(root);
    },
    async open(hash) {
      let file = await opened(hash);
      if (file === null && (await trash?.putBack(hash, pathOf(hash)))) file = await opened(hash);
      if (file === null) return null;
      const { size } = await file.stat();
      const found = file;
      return {
        size,
        read: async (into, position) => (await found.read(into, 0, into.length, position)).bytesRead,
        close: () => found.close(),
      };
    },
    async remove(hash) {
      if (trash !== null) await trash.add(hash, pathOf(hash));
      else await rm(pathOf(hash), { force: true });
    },
    isHeld: () => areBlobsHeld(root),
    tidy: async () => trash?.empty(Date.now()),
    async *listed() {
      for (const prefix of await readdir(root)) {
        if (!/^[0-9a-f]{2}$/.test(prefix)) continue;
        const names = await readdir(join(root, prefix));
        yield names.filter((name) => /^[0-9a-f]{64}$/.test(name) && name.startsWith(prefix));
      }
    },
    close: () => undefined,
  };
}

async function claim(root: string, { storeId, isOnDisk }: PlaceOwner): Promise<void> {
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
