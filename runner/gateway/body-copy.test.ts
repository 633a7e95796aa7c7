import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createBodyCopy } from './body-copy.ts';

const MiB = 1024 * 1024;

/** Returns the bytes of all buffers, without those that other files of this process have left and that V8 might collect meanwhile. */
function bytesOfBuffers(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    collect();
    const { arrayBuffers } = process.memoryUsage();
    if (arrayBuffers >= before) return arrayBuffers;
    before = arrayBuffers;
  }
}

describe('the copy of a body', () => {
  it.each([1, 5000, 69_999])('has every byte that passed in pieces of %i bytes', async (size) => {
    const body = Buffer.from('some text — with more than ASCII\n'.repeat(Math.ceil((size * 3.5) / 35)));
    const copy = createBodyCopy(MiB, { left: MiB });
    const piece = Buffer.alloc(size);
    // A connection may use the memory of a piece again.
    for (let at = 0; at < body.length; at += size) {
      const length = body.copy(piece, 0, at, at + size);
      copy.add(piece.subarray(0, length));
    }
    expect(await copy.readText(undefined)).toEqual({ text: body.toString(), isCut: false });
  });

  it('gives its memory back when it was read, before V8 collects garbage', async () => {
    const copies = Array.from({ length: 8 }, () => createBodyCopy(8 * MiB, { left: 8 * MiB }));
    const piece = Buffer.alloc(MiB, 'a');
    const before = bytesOfBuffers();
    for (const copy of copies) for (let n = 0; n < 4; n++) copy.add(piece);
    expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThanOrEqual(32 * MiB);
    for (const copy of copies) await copy.readText(undefined);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MiB);
  });

  it('takes nothing of the budget for what arrives after it was read', async () => {
    const budget = { left: MiB };
    const copy = createBodyCopy(MiB, budget);
    copy.add(Buffer.from('the beginning of a request'));
    expect(budget.left).toBeLessThan(MiB);
    await copy.readText(undefined);
    copy.add(Buffer.from('which the model answered before its end'));
    expect(budget.left).toBe(MiB);
  });
});
