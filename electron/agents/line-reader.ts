/** Lines of a process's output, split on `\n` alone. A line that never ends is cut: memory is bounded whatever comes. */
import { StringDecoder } from 'node:string_decoder';

const maxLineLength = 1024 * 1024;

export interface LineReader {
  read(chunk: Buffer): void;
  /** What stands behind the last `\n` is a line as well. */
  end(): void;
}

export function createLineReader(onLine: (line: string) => void): LineReader {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    read(chunk) {
      const parts = (rest + decoder.write(chunk)).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) onLine(part);
      if (rest.length <= maxLineLength) return;
      onLine(rest.slice(0, maxLineLength));
      rest = '';
    },
    end() {
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
