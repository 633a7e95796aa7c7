/**
 * Splits the output of a process into lines, at `\n` only. It cuts lines that are too long, so that memory
 * stays bounded.
 */
import { StringDecoder } from 'node:string_decoder';

const maxLineLength = 1024 * 1024;

export interface LineReader {
  read(chunk: Buffer): void;
  /** Passes on the text after the last `\n` as a line. */
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
