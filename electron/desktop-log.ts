/** The log of the app. A full one is set aside, and one earlier log stays beside the present one. */
import { renameSync, statSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { logDestination } from '../broker/create-broker.ts';

const defaultMaxBytes = 10 * 1024 * 1024;

export interface DesktopLogOptions {
  /** Ends in `.log`. */
  path: string;
  maxBytes?: number;
}

/** @throws Error if the file cannot be opened. */
export function createDesktopLog({ path, maxBytes = defaultMaxBytes }: DesktopLogOptions): Logger {
  const file = logDestination({ dest: path, mode: 0o600 });
  let bytes = sizeOf(path);
  function setAside(): void {
    try {
      renameSync(path, path.replace(/\.log$/, '.1.log'));
      file.reopen();
      bytes = 0;
    } catch {
      // It goes on growing, and is tried again after as much again.
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
