import { describe, expect, it } from 'vitest';
import { createProgress } from './progress.ts';
import { sizeText } from './size-text.ts';

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { written, stream: { isTTY, write: (text: string) => void written.push(text) } };
}

describe('progress', () => {
  it('is one line that is overwritten at most ten times a second and removed at the end', () => {
    const { written, stream } = screen(true);
    let now = 0;
    const progress = createProgress({ stream, total: 2048, stopwatch: () => now });
    for (; now < 250; now += 50) progress.at(now * 4);
    progress.end();
    expect(written).toEqual([
      '\r0 B of 2.0 KiB (0 %)\x1b[K',
      '\r400 B of 2.0 KiB (19 %)\x1b[K',
      '\r800 B of 2.0 KiB (39 %)\x1b[K',
      '\r\x1b[K',
    ]);
  });

  it('shows only the amount if the total is not known', () => {
    const { written, stream } = screen(true);
    createProgress({ stream, total: null }).at(5000);
    expect(written).toEqual(['\r4.9 KiB\x1b[K']);
  });

  it('writes nothing if the stream is not a terminal', () => {
    const { written, stream } = screen(false);
    const progress = createProgress({ stream, total: 1 });
    progress.at(1);
    progress.end();
    expect(written).toEqual([]);
  });
});

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1024 ** 2 - 1, '1.0 MiB'],
    [1.5 * 1024 ** 2, '1.5 MiB'],
    [3 * 1024 ** 5, '3072.0 TiB'],
  ])('of %d bytes reads %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });
});
