import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { drained } from '../testing/drained.ts';
import { toStandardOutput } from './standard-output.ts';

const evil = Buffer.from('é\x1b[2Jx');

async function shown(isTTY: boolean): Promise<Buffer> {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const write = toStandardOutput(stream);
  // Split in the middle of the first letter.
  await write(evil.subarray(0, 1));
  await write(evil.subarray(1));
  return drained(stream);
}

it('passes the bytes of a file to a program as they are', async () => {
  expect(await shown(false)).toEqual(evil);
});

it('lets no byte of a file control the terminal', async () => {
  expect((await shown(true)).toString()).toBe('é\\x1b[2Jx');
});
