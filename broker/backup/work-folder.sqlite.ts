/**
 * The folder for the incomplete files of a backup or a restore. It is beside their place, with a lock that the operating
 * system releases when the process ends. So a later run can tell what a killed one left from what another one uses
 * (specification/backup.md#leftovers).
 */
import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type Database from 'better-sqlite3';
import { lockFile } from '../storage/sqlite/open-database.ts';

export interface WorkFolder {
  path: string;
  /** Removes the folder with everything in it. */
  remove(): Promise<void>;
}

const lockName = 'muster.lock';
const pattern = /\.(?:partial|restore)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** For the moment between a folder and its lock. */
const unlockedMs = 60_000;
const maxTries = 3;

/** Creates the folder `<beside>.<purpose>-<uuid>`. @throws the error of the system or of SQLite. */
export async function openWorkFolder(beside: string, purpose: 'partial' | 'restore'): Promise<WorkFolder> {
  for (let tries = 1; ; tries++) {
    const path = `${beside}.${purpose}-${randomUUID()}`;
    await mkdir(path, { mode: 0o700 });
    const lock = await lockedIn(path, tries === maxTries);
    if (lock === null) continue;
    return {
      path,
      async remove() {
        lock.close();
        await rm(path, { recursive: true, force: true });
      },
    };
  }
}

/** Null if somebody took the folder for one that was left, in the moment before it was locked. */
async function lockedIn(path: string, isLastTry: boolean): Promise<Database.Database | null> {
  try {
    const lock = lockFile(join(path, lockName));
    if (lock !== null || !isLastTry) return lock;
    throw new Error(`"${path}" is locked by somebody else`);
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    if (isLastTry) throw error;
    return null;
  }
}

/**
 * Removes the work folders of runs that died. One that a living process uses stays, and so does whatever only looks
 * like one: without our lock, of another user, or not a folder.
 */
export async function removeDeadWorkFolders(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => pattern.test(one)))
    await removeIfDead(join(folder, name)).catch(() => undefined);
}

async function removeIfDead(path: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isDirectory() || (process.getuid !== undefined && found.uid !== process.getuid())) return;
  const lockPath = join(path, lockName);
  const hasLock = await lstat(lockPath).then(
    (lock) => lock.isFile(),
    () => false,
  );
  if (!hasLock) {
    // Only if it is empty.
    if (Date.now() - found.mtimeMs > unlockedMs) await rmdir(path);
    return;
  }
  const lock = lockFile(lockPath);
  if (lock === null) return;
  try {
    // A process that is about to lock it must not succeed. Windows removes no file that is open.
    if (process.platform === 'win32') lock.close();
    await rm(path, { recursive: true });
  } finally {
    lock.close();
  }
}
