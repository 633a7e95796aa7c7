import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readBytes } from './read-bytes.ts';

it('returns the bytes, and leaves alone what shares memory with them', async () => {
  const shared = Buffer.from(new ArrayBuffer(6));
  shared.write('abcdef');
  const own = Buffer.from(new ArrayBuffer(3));
  own.write('ghi');
  const source = Object.assign(new PassThrough(), { headers: { 'content-length': '6' } });
  const reading = readBytes(source as unknown as IncomingMessage, 100);
  source.write(shared.subarray(0, 3));
  source.end(own);
  expect(Buffer.from(await reading).toString()).toBe('abcghi');
  expect(shared.toString()).toBe('abcdef');
  // Memory of its own is moved, so nothing remains here.
  expect(own.length).toBe(0);
});
