/** Puts a rebuilt store in the place of the damaged one (specification/backup.md#repair). */
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolderSync } from '#platform/synced-file.ts';
import { foldLog } from './damaged-store.sqlite.ts';

const beside = ['', '-wal', '-shm'];

/** `work` is a copy of the damaged store. `next` is the new one. */
export const workFiles = (file: string) => ({ work: `${file}.repair-old`, next: `${file}.repair-new` });

/** Also removes what a repair left that was killed. */
export function removeWorkFiles(file: string): void {
  for (const path of Object.values(workFiles(file)))
    for (const end of beside) rmSync(`${path}${end}`, { force: true });
}

export const isFilled = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Gives `path` the owner, the group, and the mode of the store, as whose owner a broker runs. */
export function shareAccess(file: string, path: string): void {
  const [{ uid, gid, mode }, own] = [statSync(file), statSync(path)];
  if (own.uid !== uid || own.gid !== gid) chownSync(path, uid, gid);
  if (own.mode !== mode) chmodSync(path, mode & 0o777);
}

function syncFileSync(path: string): void {
  const handle = openSync(path, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function freeName(wanted: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (!existsSync(name) && !existsSync(`${name}-wal`)) return name;
  }
}

function giveSecondName(path: string, second: string): void {
  try {
    linkSync(path, second);
  } catch {
    // A file system without links.
    copyFileSync(path, second);
    shareAccess(path, second);
  }
}

/**
 * Returns where the damaged store is now. A kill at any moment leaves a file that is the complete store together with
 * the log beside it. SQLite would take the log for that of the new file, because it compares a log only with itself.
 * If SQLite cannot fold the log into the damaged file, `work`, which has that log in it, comes first: the log repeats
 * there what `work` has already, and can be removed.
 */
export function takePlace(file: string, damagedName: string): string {
  const { work, next } = workFiles(file);
  const damagedFile = freeName(damagedName);
  for (const path of [work, next]) shareAccess(file, path);
  foldLog(file);
  giveSecondName(file, damagedFile);
  if (isFilled(`${file}-wal`)) {
    foldLog(work);
    if (isFilled(`${work}-wal`)) throw new Error('the log cannot be read');
    giveSecondName(`${file}-wal`, `${damagedFile}-wal`);
    syncFileSync(work);
    renameSync(work, file);
    syncFolderSync(dirname(file));
  }
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  renameSync(next, file);
  syncFolderSync(dirname(file));
  return damagedFile;
}
