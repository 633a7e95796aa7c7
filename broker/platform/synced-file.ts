/** Synchronous writes for code that also runs while the process exits. They follow no symbolic link at the final path. */
import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { orMountedFile } from './mounted-file.ts';

/** Creates the file with exactly this mode and syncs it. @throws the system's error, `EEXIST` if the path is taken. */
export function createFileSync(path: string, bytes: Buffer, mode: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // The mask of the process takes rights away from a new file.
  chmodSync(path, mode);
}

/**
 * Replaces the file with a new one that is already synced: a reader sees the old bytes or the new ones.
 * @throws the system's error, or MountedFileError if the file is mounted by itself, and leaves nothing behind.
 */
export function replaceFileSync(path: string, bytes: Buffer, mode: number): void {
  const beside = `${path}.svc-${randomUUID()}`;
  try {
    createFileSync(beside, bytes, mode);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw orMountedFile(error, path);
  }
  syncFolderSync(dirname(path));
}

/** Makes renames and removals in the folder durable. Windows cannot sync a folder. */
export function syncFolderSync(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
