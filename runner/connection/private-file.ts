/** Files only their owner may read: 0600, in folders made with 0700, replaced whole or not at all. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The file itself when the path is a link, so that replacing it keeps the link. */
export const followLink = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Makes the missing folders above `path`. Folders that are there keep their mode. */
export async function makeFolderOf(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
}

/** Replaces the file: beside it, synced, renamed over it. A reader sees the old text or the new one, never half of either. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const target = await followLink(path);
  await makeFolderOf(target);
  const beside = `${target}.${randomUUID()}.tmp`;
  try {
    const file = await open(beside, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameOver(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await syncFolder(dirname(target));
}

/** Windows refuses to replace a file while somebody has it open; that passes. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const passes =
        process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '');
      if (!passes || tries === 50) throw error;
      await pause(20);
    }
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
