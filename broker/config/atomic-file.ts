/** Files that are there whole or not at all (D15): written beside, synced, renamed, folder synced. Mode 0600 in folders of 0700. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const fileMode = 0o600;
const folderMode = 0o700;
const leftoverAgeMs = 60_000;

/** Replaces the file's content, or makes the file. A symbolic link stays one. Throws the system's error, leaving nothing behind. */
export async function writeFileAtomically(path: string, content: string): Promise<void> {
  const target = await linkTarget(path);
  await withTemporary(target, content, (temporary) => rename(temporary, target));
}

/** Makes the file. False, with nothing written, when there is one already: of several at once exactly one makes it. */
export async function createFileAtomically(path: string, content: string): Promise<boolean> {
  let made = false;
  await withTemporary(path, content, async (temporary) => {
    made = await placeUnlessThere(temporary, path);
  });
  return made;
}

/** Removes what a killed writer of this file left beside it. A younger one may belong to a writer at work. */
export async function removeLeftovers(path: string): Promise<void> {
  const target = await linkTarget(path);
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

/** The system's error code, such as `ENOENT`, or `unknown error`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';
}

async function withTemporary(
  target: string,
  content: string,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const folder = dirname(target);
  await mkdir(folder, { recursive: true, mode: folderMode });
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', fileMode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(folder);
}

/** A hard link never replaces. File systems without them (exFAT, some network shares) get an exclusive claim first. */
async function placeUnlessThere(temporary: string, target: string): Promise<boolean> {
  try {
    try {
      await link(temporary, target);
    } catch (error) {
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error))) throw error;
      const claim = await open(target, 'wx', fileMode);
      await claim.close();
      await rename(temporary, target);
    }
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Windows cannot sync a folder, some network file systems neither; the rename itself is atomic there all the same. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'].includes(errorCode(error))) throw error;
  } finally {
    await handle.close();
  }
}

async function linkTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}
