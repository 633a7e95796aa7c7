/**
 * The cost of parsing a JSON text, found in one pass over its bytes. A parser's memory grows with the
 * depth and the number of objects and lists: 16 MiB of brackets take hundreds of megabytes, and a recursive
 * writer's stack. Whether the text is JSON turns out later.
 */
export interface JsonBounds {
  depth: number;
  /** The number of objects and lists. */
  containers: number;
}

const quote = 0x22;
const backslash = 0x5c;

export function jsonBounds(bytes: Uint8Array): JsonBounds {
  const end = bytes.length;
  let depth = 0;
  let deepest = 0;
  let containers = 0;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      at += 1;
      while (at < end && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
      continue;
    }
    // [ and { differ in one bit, as do ] and }.
    if (byte === 0x5b || byte === 0x7b) {
      containers += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return { depth: deepest, containers };
}
