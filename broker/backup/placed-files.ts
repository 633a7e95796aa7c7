/** Fills an empty place with files, so that all of them stand there at the end or none (specification/backup.md#restore). */
import { lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, codeText } from '#platform/error-text.ts';
import { makeFolders, removeEmptyFolders } from '#platform/make-folders.ts';
import { createPrivateFile, placeUnlessThere, syncFolder } from '#platform/private-file.ts';
import { BackupError, refuseUnusable } from './backup-format.ts';
import { openWorkFolder, removeDeadWorkFolders } from './work-folder.sqlite.ts';

/** Every method refuses with a BackupError of one sentence. When it is disposed of, only what `keep` kept is left. */
export interface Placing extends AsyncDisposable {
  /** Creates the missing folders above a path. */
  makeFolderOf(path: string): Promise<void>;
  /** Creates a private folder beside a path, on the same disk, for what is to move to the path. */
  stageBeside(path: string): Promise<string>;
  /** Another restore may have come first: what it placed stays. */
  moveFile(from: string, to: string): Promise<void>;
  /** Replaces only an empty folder. */
  moveFolder(from: string, to: string): Promise<void>;
  create(path: string, content: string): Promise<void>;
  /** Everything is in its place and stays there. */
  keep(): void;
}

export async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
      throw new BackupError(`"${path}" cannot be read (${codeText(error)}).`);
    },
  );
}

const occupied = (path: string): BackupError =>
  new BackupError(
    `"${path}" already exists, and a restore never overwrites. Move it away, or name another place.`,
  );

/** @throws BackupError for the first path that exists. */
export async function refuseOccupied(paths: readonly string[]): Promise<void> {
  for (const path of paths) if (await isThere(path)) throw occupied(path);
}

/** An existing folder for files may stay if it is empty. @throws BackupError. */
export async function refuseFilled(folder: string): Promise<void> {
  if (!(await isThere(folder))) return;
  const names = await readdir(folder).catch((error: unknown) => refuseUnusable(folder, error));
  if (names.length > 0)
    throw new BackupError(
      `the folder "${folder}" for files is not empty, and a restore never overwrites. Move it away, or name another one with --files-root.`,
    );
}

/** New folders are removed last, and only if nothing of somebody else is in them. */
export function createPlacing(): Placing {
  const folders = new AsyncDisposableStack();
  const staged = new AsyncDisposableStack();
  const placed = new AsyncDisposableStack();
  let isKept = false;

  async function inFolderOf<T>(path: string, work: (folder: string) => Promise<T>): Promise<T> {
    const folder = dirname(path);
    try {
      const made = await makeFolders(folder);
      folders.defer(() => removeEmptyFolders(made));
      return await work(folder);
    } catch (error) {
      return refuseUnusable(folder, error);
    }
  }

  return {
    makeFolderOf: (path) => inFolderOf(path, async () => undefined),
    stageBeside: (path) =>
      inFolderOf(path, async (folder) => {
        await removeDeadWorkFolders(folder);
        const work = await openWorkFolder(path, 'restore');
        staged.defer(() => work.remove().catch(() => undefined));
        return work.path;
      }),
    moveFile: (from, to) =>
      inFolderOf(to, async (folder) => {
        if (!(await placeUnlessThere(from, to))) throw occupied(to);
        placed.defer(() => rm(to, { force: true }));
        await syncFolder(folder);
      }),
    moveFolder: (from, to) =>
      inFolderOf(to, async (folder) => {
        if (await isThere(to)) {
          const mode = (await lstat(to)).mode & 0o777;
          await rmdir(to);
          placed.defer(async () => void (await mkdir(to, { mode })));
        }
        await rename(from, to);
        placed.defer(() => rm(to, { recursive: true, force: true }));
        await syncFolder(folder);
      }),
    create: (path, content) =>
      inFolderOf(path, async () => {
        if (!(await createPrivateFile(path, content))) throw occupied(path);
        placed.defer(() => rm(path, { force: true }));
      }),
    keep() {
      isKept = true;
    },
    async [Symbol.asyncDispose]() {
      if (!isKept) await placed.disposeAsync();
      await staged.disposeAsync();
      if (!isKept) await folders.disposeAsync();
    },
  };
}
