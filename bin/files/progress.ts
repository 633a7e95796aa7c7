/** The progress of a transfer on a terminal: one line that is overwritten, and removed at the end. */
import { sizeText } from './size-text.ts';

export interface Progress {
  /** Bytes so far. */
  at(bytes: number): void;
  end(): void;
}

export interface ProgressOptions {
  /** Usually standard error. Nothing is written if it is not a terminal. */
  stream: { isTTY?: boolean; write(text: string): unknown };
  /** The total in bytes; null if it is not known. */
  total: number | null;
  stopwatch?: () => number;
}

const everyMs = 100;

export function createProgress({
  stream,
  total,
  stopwatch = () => performance.now(),
}: ProgressOptions): Progress {
  if (!stream.isTTY) return { at() {}, end() {} };
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    at(bytes) {
      if (stopwatch() - shownAt < everyMs) return;
      shownAt = stopwatch();
      const part = total ? ` of ${sizeText(total)} (${Math.floor((100 * bytes) / total)} %)` : '';
      stream.write(`\r${sizeText(bytes)}${part}\x1b[K`);
    },
    end: () => void stream.write('\r\x1b[K'),
  };
}
