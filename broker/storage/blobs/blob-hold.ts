/**
 * Keeps a running broker from deleting file contents while a backup copies them: a file in `.holds/` of the
 * folder of blobs, which its maker touches. One that is not touched anymore holds nothing, so a killed backup
 * has no effect (specification/backup.md#one-moment).
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '#platform/error-text.ts';

const holdsFolder = '.holds';
const touchMs = 15_000;
/** Contents that nothing refers to anymore are deleted by the next start. */
const validMs = 120_000;

/** Returns a function that lets go. */
export async function holdBlobs(root: string): Promise<() => Promise<void>> {
  const folder = join(root, holdsFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, randomUUID());
  await writeFile(file, '', { mode: 0o600 });
  const touching = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, touchMs);
  return async () => {
    clearInterval(touching);
    await rm(file, { force: true });
    // Another hold keeps it.
    await rmdir(folder).catch(() => undefined);
  };
}

/**
 * Returns whether a backup holds the contents at this moment. A file that is too old to hold anything is removed. A
 * folder that cannot be read was made by another user, and counts as a hold.
 */
export async function areBlobsHeld(root: string): Promise<boolean> {
  const folder = join(root, holdsFolder);
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    if (codeOf(error) === 'EACCES') return null;
    throw error;
  });
  if (names === null) return true;
  let isHeld = false;
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: 0 }));
    if (Math.abs(Date.now() - mtimeMs) < validMs) isHeld = true;
    else await rm(join(folder, name), { force: true });
  }
  return isHeld;
}
