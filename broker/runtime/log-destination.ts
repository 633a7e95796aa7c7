/**
 * The destination of a log. A log that cannot be written must neither end nor block the process that writes it: pino's own
 * destination emits an error that nothing catches, and its flush waits for a full disk for ever.
 */
import { closeSync, openSync, writeSync } from 'node:fs';

const KiB = 1024;

export interface LogDestinationOptions {
  /** A path, or the number of an open file. */
  dest: string | number;
  /** The mode of a new file. */
  mode?: number;
  /** The number of bytes that may wait while nothing can be written. Lines beyond it are lost, and counted in the log. */
  maxWaiting?: number;
}

export interface LogDestination {
  /** Writes at once, so that the last lines before a crash are there. Never throws. */
  write(line: string): void;
  /** Goes on in a new file of the same path. @throws the system's error if it cannot be opened. */
  reopen(): void;
}

/** @throws the system's error if the file cannot be opened. */
export function logDestination({
  dest,
  mode = 0o600,
  maxWaiting = 1024 * KiB,
}: LogDestinationOptions): LogDestination {
  const open = (): number => (typeof dest === 'number' ? dest : openSync(dest, 'a', mode));
  let file = open();
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let lostLines = 0;

  const add = (line: string): void => {
    const bytes = Buffer.from(line);
    waiting.push(bytes);
    waitingBytes += bytes.length;
  };

  /** Writes the lines that wait. A line that cannot be written now is tried again with the next one. */
  function flush(): void {
    let done = 0;
    try {
      for (let rest = waiting[done]; rest !== undefined; rest = waiting[done]) {
        const written = writeSync(file, rest);
        waitingBytes -= written;
        if (written === rest.length) done += 1;
        else waiting[done] = rest.subarray(written);
      }
    } catch {
      // The disk is full, or the reader of a pipe is slow or gone.
    }
    waiting.splice(0, done);
  }

  return {
    write(line) {
      if (waitingBytes > 0) flush();
      if (waitingBytes + line.length > maxWaiting) {
        lostLines += 1;
        return;
      }
      if (lostLines > 0) {
        add(`${JSON.stringify({ level: 40, lostLines, msg: 'the log could not be written for a while' })}\n`);
        lostLines = 0;
      }
      add(line);
      flush();
    },
    reopen() {
      const next = open();
      if (next !== file) closeSync(file);
      file = next;
    },
  };
}
