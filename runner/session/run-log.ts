/**
 * The log of one run: a file of its own, one JSON object per line. A full file is set aside under another
 * name, and old logs are removed (specification/runner.md#logs).
 */
import { createWriteStream, openSync, renameSync, type WriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { isAlive } from '#platform/process-identity.ts';
import { maskText } from '../gateway/masking.rules.ts';
import { type LogFile, logsToRemove } from './run-logs.rules.ts';

export interface RunLog {
  readonly path: string;
  /** `data` is masked as well, because secrets in an error's text must not reach the file. */
  write(event: string, data?: object): void;
  close(): Promise<void>;
}

const defaultMaxFileBytes = 10 * 1024 * 1024;
/** The process id, and the number of a file that was set aside. */
const namePattern = /^run-.+-(\d+)(?:\.\d)?\.jsonl$/;

/**
 * Opens a new file in `folder`, which is created if it is missing. A run has at most three files: the newest
 * lines are in `path`, older ones in `….1.jsonl` and `….2.jsonl`.
 */
export async function openRunLog(
  folder: string,
  member: string,
  maxFileBytes = defaultMaxFileBytes,
): Promise<RunLog> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await pruneLogs(folder);
  const at = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const name = join(folder, `run-${member}-${at}-${process.pid}`);
  const path = `${name}.jsonl`;
  let file = open(path);
  let bytes = 0;

  function rotate(): void {
    file?.end();
    for (const [from, to] of [
      ['.1', '.2'],
      ['', '.1'],
    ])
      try {
        renameSync(`${name}${from}.jsonl`, `${name}${to}.jsonl`);
      } catch {
        // There is none yet.
      }
    file = open(path);
  }

  return {
    path,
    write(event, data = {}) {
      const line = `${maskText(JSON.stringify({ at: new Date().toISOString(), event, ...data }))}\n`;
      const added = Buffer.byteLength(line);
      if (bytes > 0 && bytes + added > maxFileBytes) {
        rotate();
        bytes = 0;
      }
      bytes += added;
      file?.write(line);
    },
    close: () => new Promise((resolve) => (file === null ? resolve() : file.end(() => resolve()))),
  };
}

/** Null if it cannot be opened: that, or a full disk, must not end the run; only the log is lost. */
function open(path: string): WriteStream | null {
  try {
    const file = createWriteStream(path, { fd: openSync(path, 'ax', 0o600) });
    return file.on('error', () => undefined);
  } catch {
    return null;
  }
}

/** Removes old logs of runs that have ended. A log that cannot be removed is tried again at the next start. */
async function pruneLogs(folder: string): Promise<void> {
  const names = await readdir(folder);
  const files = await Promise.all(names.map((name) => logFile(folder, name)));
  const present = files.filter((file) => file !== null);
  for (const { path } of logsToRemove(present, Date.now()))
    await rm(path, { force: true }).catch(() => undefined);
}

/** Null for a file that is no log of a run. */
async function logFile(folder: string, name: string): Promise<LogFile | null> {
  const pid = namePattern.exec(name)?.[1];
  if (pid === undefined) return null;
  const path = join(folder, name);
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return null;
  // A reused process id keeps a log a little longer.
  const isInUse = isAlive({ pid: Number(pid), startedAt: null });
  return { path, bytes: found.size, writtenAt: found.mtimeMs, isInUse };
}
