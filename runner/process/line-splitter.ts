/**
 * Lines of a stream, split on `\n` only: Node's readline also splits on U+2028, which JSON text may contain.
 */
export function splitLines(
  onLine: (line: string) => void,
  maxLineBytes = 64 * 1024 * 1024,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at));
      onLine(Buffer.concat(parts).toString('utf8'));
      parts = [];
      size = 0;
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    // A line without an end is dropped, not the process.
    if (size > maxLineBytes) {
      parts = [];
      size = 0;
    } else if (rest.length > 0) parts.push(rest);
  };
}
