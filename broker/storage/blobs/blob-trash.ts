/**
 * The trash of contents that nothing refers to anymore, in a folder that several machines share: a broker that was suspended
 * may remove late what its successor refers to by then, and the successor puts it back (specification/standby.md#contents-of-files).
 */
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '#platform/error-text.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export interface BlobTrash {
  /** Takes the bytes at `path`, if there are any. */
  add(hash: string, path: string): Promise<void>;
  /** Returns whether there were such bytes; they are at `path` then. */
  putBack(hash: string, path: string): Promise<boolean>;
  /** Deletes what has been here for a day, and puts back what something refers to. Looks once an hour. */
  empty(now: number): Promise<void>;
}

const orNothing = (error: unknown) => {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
};

/** `unreferenced`: those of the hashes that nothing refers to. */
export function createBlobTrash(
  root: string,
  pathOf: (hash: string) => string,
  unreferenced: (hashes: string[]) => Promise<string[]>,
): BlobTrash {
  const trash = join(root, '.trash');
  let emptiedAt = Number.NEGATIVE_INFINITY;

  const days = async (): Promise<number[]> =>
    ((await readdir(trash).catch(orNothing)) ?? []).filter((name) => /^\d+$/.test(name)).map(Number);

  async function moveFrom(day: number, hash: string, path: string): Promise<boolean> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const moved = await rename(join(trash, String(day), hash), path).then(() => true, orNothing);
    return moved === true;
  }

  async function emptyDay(day: number): Promise<void> {
    const folder = join(trash, String(day));
    const hashes = await readdir(folder);
    const unused = new Set(await unreferenced(hashes));
    for (const hash of hashes) {
      if (unused.has(hash)) await rm(join(folder, hash), { force: true });
      else await moveFrom(day, hash, pathOf(hash));
    }
    await rmdir(folder);
  }

  return {
    async add(hash, path) {
      const folder = join(trash, String(Math.floor(Date.now() / dayMs)));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(path, join(folder, hash)).catch(orNothing);
    },
    async putBack(hash, path) {
      for (const day of await days()) if (await moveFrom(day, hash, path)) return true;
      return false;
    },
    async empty(now) {
      if (now - emptiedAt < hourMs) return;
      emptiedAt = now;
      const today = Math.floor(now / dayMs);
      // A day that has ended less than a day ago still has what is younger.
      for (const day of await days()) if (day < today - 1) await emptyDay(day);
    },
  };
}
