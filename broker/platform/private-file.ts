/**
 * Files that only their owner may read: mode 0600 in folders of 0700. A file is written as a whole or not at
 * all (specification/configuration.md#svcjson).
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './error-text.ts';
import { makeFolders } from './make-folders.ts';
import { orMountedFile } from './mounted-file.ts';

const fileMode = 0o600;
const piecesPerRead = 8;
const leftoverAgeMs = 60_000;

/** A file's content as a whole, or in pieces, which are not joined in memory. */
type Content = string | Uint8Array | readonly Uint8Array[];

/**
 * Replaces the file, or creates it and its missing folders. A symbolic link stays one. A reader sees the old content or the new content.
 * @throws the system's error, or MountedFileError if the file is mounted by itself, and leaves nothing behind. It never writes in place,
 * because a crash in the middle would leave a torn file.
 */
export async function replacePrivateFile(path: string, content: Content): Promise<void> {
  const target = await followLink(path);
  try {
    await withTemporary(target, content, (temporary) => renameOver(temporary, target));
  } catch (error) {
    throw orMountedFile(error, target);
  }
}

/** Creates the file. False, with nothing written, if there is one already: of several callers at once exactly one creates it. */
export async function createPrivateFile(path: string, content: Content): Promise<boolean> {
  let made = false;
  await withTemporary(path, content, async (temporary) => {
    made = await placeUnlessThere(temporary, path);
  });
  return made;
}

/** Whether the file holds these pieces, one after the other. Holds little of it in memory. @throws the system's error. */
export async function isContentOf(path: string, pieces: readonly Uint8Array[]): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size !== lengthOf(pieces)) return false;
    let scratch = Buffer.alloc(0);
    for (let at = 0; at < pieces.length; at += piecesPerRead) {
      const expected = pieces.slice(at, at + piecesPerRead);
      const bytes = lengthOf(expected);
      if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes);
      const { bytesRead } = await file.read(scratch, 0, bytes);
      if (bytesRead < bytes || !areJoined(expected, scratch)) return false;
    }
    return true;
  } finally {
    await file.close();
  }
}

/** Removes what a killed writer of this file left beside it. A recent one may belong to an active writer. */
export async function removeLeftovers(path: string): Promise<void> {
  const target = await followLink(path);
  const folder = dirname(target);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const middle = name.startsWith(`${basename(target)}.`) ? name.slice(basename(target).length) : '';
    if (!/^\.[0-9a-f]{12}\.tmp$/.test(middle)) continue;
    const leftover = join(folder, name);
    const written = await stat(leftover).catch(() => null);
    if (written && Date.now() - written.mtimeMs > leftoverAgeMs) {
      await rm(leftover, { force: true }).catch(() => undefined);
    }
  }
}

/** Returns the file that a symbolic link names, so that replacing it keeps the link; else the path itself. */
export const followLink = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Creates the missing folders above `path`. Existing folders keep their mode. */
export async function makeFolderOf(path: string): Promise<void> {
  await makeFolders(dirname(path));
}

async function withTemporary(
  target: string,
  content: Content,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  await makeFolderOf(target);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', fileMode);
    try {
      await writeContent(file, content);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(target));
}

async function writeContent(file: FileHandle, content: Content): Promise<void> {
  if (typeof content === 'string' || content instanceof Uint8Array) return file.writeFile(content);
  const { bytesWritten } = await file.writev(content);
  // A disk that becomes full takes a part. Writing the rest completes the file or tells why it cannot.
  if (bytesWritten < lengthOf(content)) await file.writeFile(Buffer.concat(content).subarray(bytesWritten));
}

function areJoined(pieces: readonly Uint8Array[], bytes: Buffer): boolean {
  let start = 0;
  return pieces.every((piece) => {
    const end = start + piece.length;
    const isSame = bytes.compare(piece, 0, piece.length, start, end) === 0;
    start = end;
    return isSame;
  });
}

const lengthOf = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);

/**
 * Windows refuses to replace a file while another program has it open, which usually lasts only milliseconds.
 */
async function renameOver(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const mayPass =
        process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '');
      if (!mayPass || tries === 50) throw error;
      await pause(20);
    }
  }
}

/**
 * Moves a file to a place where there is none. Returns false, with nothing done, if there is one.
 *
 * A hard link never replaces. File systems without them (exFAT, some network shares) need an exclusive claim
 * first.
 */
export async function placeUnlessThere(temporary: string, target: string): Promise<boolean> {
  try {
    try {
      await link(temporary, target);
    } catch (error) {
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error;
      const claim = await open(target, 'wx', fileMode);
      await claim.close();
      await rename(temporary, target);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Windows cannot sync a folder, and neither can some network file systems; the rename itself is atomic there
 * as well.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'].includes(codeOf(error) ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
