/**
 * The position in a log of standbys up to which the file of a store has everything, kept beside the file. It counts
 * only while nobody else wrote the file: a process that ends with a commit that is not in the log, or any program that opens the store, folds SQLite's
 * log into the file.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { codeOf } from '#platform/error-text.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { realName } from '../storage/sqlite/open-database.ts';
import type { LogEnd } from './page-log.ts';

/** The position of a file that has nothing of a log. */
export const beginOf = (id: string): LogEnd => ({ id, pos: 0, epoch: 0 });

/**
 * Another broker may be active with the team of this file. @throws StartUpError (78) if the file is one of several copies.
 * `doing`: what must not be done.
 */
export function refuseCopy(file: string, doing: string): void {
  const position = pathOf(realName(file));
  if (existsSync(position))
    throw new StartUpError(
      `${doing}, because "${file}" is one of the copies of machines that stand by for each other; set SVC_STANDBY_URL and start the broker, or delete "${position}" if no other machine has the team anymore`,
    );
}

/**
 * Whether pages of another broker may be written into this file in place, so that nothing reads one moment of it. SQLite's log
 * is beside the store of an active broker.
 */
export const isPassiveCopy = (file: string): boolean =>
  existsSync(pathOf(realName(file))) && !existsSync(`${realName(file)}-wal`);

/** Makes the file of a store that is closed the only one. Call it only when no other machine has the team anymore. */
export const forgetCopy = (file: string): Promise<void> => rm(pathOf(realName(file)), { force: true });

const pathOf = (file: string): string => `${file}.pos`;

/** Returns another text after each write. */
function stateOf(file: string): string {
  const { size, mtimeNs, ino } = statSync(file, { bigint: true });
  return `${size} ${mtimeNs} ${ino}`;
}

/** Call it when the file durably has everything up to that position, and nothing that the log does not have. */
export function keepPosition(file: string, { id, pos, epoch }: LogEnd): void {
  const next = `${pathOf(file)}.new`;
  const fd = openSync(next, 'w', 0o600);
  try {
    writeSync(fd, `${id} ${pos} ${epoch} ${stateOf(file)}`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(next, pathOf(file));
}

/**
 * Returns the position that was kept for this log; the begin if the file was written since, and needs everything anew; null if
 * it is no copy of this log.
 */
export function keptPosition(file: string, id: string): LogEnd | null {
  try {
    const [keptId, pos, epoch, ...state] = readFileSync(pathOf(file), 'utf8').split(' ');
    if (keptId !== id || !/^\d{1,15} \d{1,15}$/.test(`${pos} ${epoch}`)) return null;
    return state.join(' ') === stateOf(file) ? { id, pos: Number(pos), epoch: Number(epoch) } : beginOf(id);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
