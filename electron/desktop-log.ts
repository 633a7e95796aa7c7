/** The log of the app. A full one is set aside, and one earlier log stays beside the present one. */
import { renameSync, statSync } from 'node:fs';
import { destination, type Logger, pino } from 'pino';

const defaultMaxBytes = 10 * 1024 * 1024;

export interface DesktopLogOptions {
  /** Ends in `.log`. */
  path: string;
  maxBytes?: number;
}

/** The bytes that wait in memory while the disk is full; more lines are dropped. */
const maxWaitingBytes = 1024 * 1024;

/**
 * Writes at once, so that the last lines before a crash are there. Writing a line never throws, also not on a full
 * disk. @throws Error if the file cannot be opened.
 */
export function createDesktopLog({ path, maxBytes = defaultMaxBytes }: DesktopLogOptions): Logger {
  const file = destination({ dest: path, mode: 0o600, sync: true, maxLength: maxWaitingBytes });
  // Otherwise, whoever writes a line gets the error. The next line tries again.
  file.on('error', () => undefined);
  let bytes = sizeOf(path);
  function setAside(): void {
    try {
      renameSync(path, path.replace(/\.log$/, '.1.log'));
      file.reopen();
      bytes = 0;
    } catch {
      // What cannot be renamed goes on growing, and is tried again after as much again.
      bytes = 0;
    }
  }
  return pino(
    { base: null },
    {
      write(line: string) {
        if (bytes > maxBytes) setAside();
        file.write(line);
        bytes += Buffer.byteLength(line);
      },
    },
  );
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
