/**
 * The position in a log of standbys up to which the file of a store has everything, kept beside the file. It counts
 * only while nobody else wrote the file: a process that ends with a commit that is not in the log, or any program that opens the store, folds SQLite's
 * log into the file.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { codeOf } from '#platform/error-text.ts';

const pathOf = (file: string): string => `${file}.pos`;

/** Returns another text after each write. */
function stateOf(file: string): string {
  const { size, mtimeNs, ino } = statSync(file, { bigint: true });
  return `${size} ${mtimeNs} ${ino}`;
}

/** Call it when the file durably has everything up to `pos`, and nothing that the log does not have. */
export function keepPosition(file: string, logId: string, pos: number): void {
  const next = `${pathOf(file)}.new`;
  const fd = openSync(next, 'w', 0o600);
  try {
    writeSync(fd, `${logId} ${pos} ${stateOf(file)}`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(next, pathOf(file));
}

/**
 * Returns the position that was kept for this log; 0 if the file was written since, and needs everything anew; null if
 * it is no copy of this log.
 */
export function keptPosition(file: string, logId: string): number | null {
  try {
    const [keptId, pos = '', ...state] = readFileSync(pathOf(file), 'utf8').split(' ');
    if (keptId !== logId || !/^\d{1,15}$/.test(pos)) return null;
    return state.join(' ') === stateOf(file) ? Number(pos) : 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
