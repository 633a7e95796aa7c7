/** The obstacles to a repair of a store that can be repaired (specification/backup.md#repair). */
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { StartUpError } from '../runtime/start-up-error.ts';

const noSpace = /^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/;
const noAccess =
  /^(EACCES|EPERM|EROFS|SQLITE_(READONLY|CANTOPEN|PERM|IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHM)).*)$/;

/** Returns what is missing and what to do; null for an error of another kind. */
export function obstacleOf(error: unknown, file: string): string | null {
  const code = codeOf(error) ?? codeOf(error instanceof Error ? error.cause : undefined) ?? '';
  const folder = dirname(file);
  if (noSpace.test(code))
    return `there is not enough space in "${folder}" (${code}); free as much as two more copies of the store need, and run the command again`;
  if (noAccess.test(code))
    return `files in "${folder}" cannot be written (${code}); run the command as the user to whom the store belongs, and make the folder writable`;
  return null;
}

/** SQLite also writes beside a store that it only reads. @throws StartUpError. */
export function refuseInaccessible(file: string): void {
  for (const path of [dirname(file), file]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
    } catch (error) {
      throw new StartUpError(
        `"${path}" cannot be read and written (${codeOf(error)}); run the command as the user to whom the store belongs, or change the permissions`,
        1,
      );
    }
  }
}
