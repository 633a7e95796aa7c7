/** Lines of a stream, split on `\n` only, because JSON text may contain U+2028. */
import type { Readable } from 'node:stream';

/** Calls `onLong` for a line with more bytes than `maxBytes`, and leaves it out. */
export function readLines(
  input: Readable,
  { maxBytes, onLine, onLong }: { maxBytes: number; onLine(line: string): void; onLong(): void },
): void {
  let parts: Buffer[] = [];
  let size = 0;

  function keep(part: Buffer): void {
    size += part.length;
    if (size > maxBytes) parts = [];
    else parts.push(part);
  }
  function end(): void {
    if (size > maxBytes) onLong();
    else onLine(Buffer.concat(parts).toString('utf8'));
    parts = [];
    size = 0;
  }
  input.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, at));
      from = at + 1;
      end();
    }
    keep(chunk.subarray(from));
  });
}
