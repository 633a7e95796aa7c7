/** A file in transfer: `<target>.part`, and beside it the ETag of the file that it is a part of. */
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { codeOf } from '#platform/error-text.ts';
import { CommandFailure } from '../command-failure.ts';

export interface Part {
  /** The ETag of the file; null for nothing yet. */
  readonly etag: string | null;
  /** Bytes so far. */
  readonly position: number;
  startAfresh(etag: string): Promise<void>;
  append(chunk: Uint8Array): Promise<void>;
  /** Whether all bytes are there and correct, as far as the ETag, which is their SHA-256, tells. */
  isWhole(total: number): boolean;
  /** Gives the file its name. @throws CommandFailure if the name is taken and must not be replaced. */
  publish(replace: boolean): Promise<void>;
  discard(): Promise<void>;
  close(): Promise<void>;
}

export const partOf = (target: string): string => `${target}.part`;
const etagOf = (target: string): string => `${target}.part.etag`;

export const refuseTaken = (target: string): never => {
  throw new CommandFailure(`"${target}" already exists. Pass --force to replace it, or name another file.`);
};

export const isThere = (target: string): Promise<boolean> =>
  lstat(target).then(
    () => true,
    () => false,
  );

export async function openPart(target: string): Promise<Part> {
  const path = partOf(target);
  let etag = await readFile(etagOf(target), 'utf8').catch(() => null);
  let file: FileHandle | null = etag === null ? null : await openPresent(path);
  let hash: Hash = createHash('sha256');
  let position = 0;
  if (file === null) etag = null;
  else
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
      hash.update(chunk);
      position += chunk.length;
    }

  async function remove(): Promise<void> {
    await rm(path, { force: true });
    await rm(etagOf(target), { force: true });
  }

  return {
    get etag() {
      return position === 0 ? null : etag;
    },
    get position() {
      return position;
    },
    async startAfresh(wanted) {
      await file?.close();
      await remove();
      file = await open(path, 'wx');
      // A part without its ETag is not continued.
      await writeFile(etagOf(target), wanted, { flag: 'wx' });
      hash = createHash('sha256');
      position = 0;
      etag = wanted;
    },
    async append(chunk) {
      if (file === null) throw new Error('no part is open');
      for (let done = 0; done < chunk.length; )
        done += (await file.write(chunk, done, chunk.length - done, position + done)).bytesWritten;
      hash.update(chunk);
      position += chunk.length;
    },
    isWhole: (total) =>
      position === total &&
      (!/^"[0-9a-f]{64}"$/.test(etag ?? '') || etag === `"${hash.copy().digest('hex')}"`),
    async publish(replace) {
      await file?.sync();
      const [mine, present] = [await file?.stat(), await stat(path).catch(() => undefined)];
      if (mine?.ino !== present?.ino)
        throw new CommandFailure(
          `another process is downloading "${target}". Wait for it, or name another file.`,
        );
      if (replace) await rename(path, target);
      else await giveFreeName(path, target);
      await remove();
    },
    discard: remove,
    async close() {
      await file?.close();
    },
  };
}

/** Returns null if there is none. A link is not followed, because the name of a part is easy to predict. */
async function openPresent(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ELOOP') return null;
    throw error;
  }
}

/** A hard link fails if the name is taken, which a rename does not; some file systems have no hard links. */
async function giveFreeName(path: string, target: string): Promise<void> {
  try {
    await link(path, target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') refuseTaken(target);
    if (await isThere(target)) refuseTaken(target);
    await rename(path, target);
  }
}
