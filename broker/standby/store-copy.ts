/** The file of a store on a machine that stands by: it gets the pages of each commit. */
import { closeSync, fdatasyncSync, mkdirSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartUpError } from '../runtime/start-up-error.ts';
import { lockStore, realName } from '../storage/sqlite/open-database.ts';
import { beginOf, keepPosition, keptPosition } from './kept-position.ts';
import { applyTo, type PageCommit } from './page-commit.ts';
import type { LogEnd } from './page-log.ts';

export interface StoreCopy {
  /** The part of the log that the file has. */
  readonly end: LogEnd;
  /** Writes pages. Until the copy has all that lead to a position, `end` stays. */
  write(commit: PageCommit): void;
  reach(end: LogEnd): void;
  /** The number of migrations that the store has had (`user_version`); 0 while the file is empty. */
  schema(): number;
  /** Makes durable what was applied. */
  close(): void;
}

const keepMs = 1000;

/** Of `user_version` in the header of a database file (https://www.sqlite.org/fileformat2.html). */
const schemaAt = 60;

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** @throws StartUpError if the file has something that the log does not have. */
function positionIn(file: string, logId: string): LogEnd {
  const kept = keptPosition(file, logId);
  if (kept === null && sizeOf(file) > 0)
    throw new StartUpError(
      `"${file}" is no copy of what the database that the machines share holds, and would be overwritten; move it and its -wal file to another folder, or use an empty database`,
    );
  return kept ?? beginOf(logId);
}

/**
 * Opens the file while nothing else uses the store, or creates it. @throws StartUpError if another process uses it, or
 * if it is no copy of this log.
 */
export function openCopy(path: string, logId: string): StoreCopy {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = lockStore(path);
  try {
    return copyIn(realName(path), logId, () => lock?.close());
  } catch (error) {
    lock?.close();
    throw error;
  }
}

function copyIn(file: string, logId: string, unlock: () => void): StoreCopy {
  let end = positionIn(file, logId);
  closeSync(openSync(file, 'a', 0o600));
  const fd = openSync(file, 'r+');
  const keep = () => {
    // Their content is in the log as well, or was never acknowledged. A program that read the copy may leave them, too.
    for (const beside of [`${file}-wal`, `${file}-shm`]) rmSync(beside, { force: true });
    fdatasyncSync(fd);
    keepPosition(file, end);
  };
  // It belongs to this log from now on, whatever happens to this process.
  keep();
  let keptAt = performance.now();
  return {
    get end() {
      return end;
    },
    write: (commit) => applyTo(fd, commit),
    reach(reached) {
      end = reached;
      if (performance.now() - keptAt < keepMs) return;
      keep();
      keptAt = performance.now();
    },
    schema() {
      const field = Buffer.alloc(4);
      readSync(fd, field, 0, field.length, schemaAt);
      return field.readInt32BE();
    },
    close() {
      keep();
      closeSync(fd);
      unlock();
    },
  };
}
