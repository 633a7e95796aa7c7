import type { Readable } from 'node:stream';

/** Returns all bytes that a stream holds now: one `read()` may return a part of them. */
export function drained(stream: Readable): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
