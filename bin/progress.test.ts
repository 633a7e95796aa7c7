import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgress, type ProgressStep } from './progress.ts';

const bytes = (done: number, total: number | null): ProgressStep => ({ unit: 'bytes', done, total });

/** Draws each step at its time in ms on a stream, and returns what is written. */
function written(
  steps: [at: number, step: ProgressStep][],
  stream: { isTTY: boolean; columns?: number; hasLines?: boolean },
): string[] {
  const texts: string[] = [];
  let now = 0;
  const progress = createProgress({
    stream: { ...stream, write: (text: string) => void texts.push(text) },
    hasLines: stream.hasLines ?? false,
    stopwatch: () => now,
  });
  for (const [at, step] of steps) {
    now = at;
    progress.at(step);
  }
  progress.end();
  return texts;
}

beforeEach(() => void vi.stubEnv('TERM', 'xterm'));
afterEach(() => void vi.unstubAllEnvs());

describe('progress on a terminal', () => {
  it('is one line that is overwritten at most ten times a second and removed at the end', () => {
    const steps = [0, 50, 100, 150, 200].map((at): [number, ProgressStep] => [at, bytes(at * 4, 2048)]);
    expect(written(steps, { isTTY: true })).toEqual([
      '\r0 B of 2.0 KiB (0 %)\x1b[K',
      '\r400 B of 2.0 KiB (19 %)\x1b[K',
      '\r800 B of 2.0 KiB (39 %)\x1b[K',
      '\r\x1b[K',
    ]);
  });

  it('shows only the amount and the rate if the total is not known', () => {
    const steps: [number, ProgressStep][] = [
      [0, bytes(5000, null)],
      [2000, bytes(5000 + 4096, null)],
    ];
    expect(written(steps, { isTTY: true })).toEqual([
      '\r4.9 KiB\x1b[K',
      '\r8.9 KiB, 2.0 KiB/s\x1b[K',
      '\r\x1b[K',
    ]);
  });

  it('says the rate and the time that is left after two seconds, from where it began', () => {
    const steps: [number, ProgressStep][] = [
      [0, bytes(2 ** 20, 11 * 2 ** 20)],
      [1999, bytes(2 ** 21, 11 * 2 ** 20)],
      [4000, bytes(3 * 2 ** 20, 11 * 2 ** 20)],
      [4100, bytes(3 * 2 ** 20, 400 * 2 ** 20)],
    ];
    const lines = written(steps, { isTTY: true });
    expect(lines[1]).toBe('\r2.0 MiB of 11.0 MiB (18 %)\x1b[K');
    expect(lines[2]).toBe('\r3.0 MiB of 11.0 MiB (27 %), 512.0 KiB/s, 16 s left\x1b[K');
    expect(lines[3]).toContain(', 14 min left');
  });

  it('measures each part by itself', () => {
    const steps: [number, ProgressStep][] = [
      [0, { what: 'stores', ...bytes(0, 100) }],
      [5000, { what: 'files', unit: 'files', done: 1, total: 2000 }],
      [7000, { what: 'files', unit: 'files', done: 1001, total: 2000 }],
    ];
    expect(written(steps, { isTTY: true }).slice(1, 3)).toEqual([
      '\rfiles: 1 of 2,000 files (0 %)\x1b[K',
      '\rfiles: 1,001 of 2,000 files (50 %), 500 files/s, 2 s left\x1b[K',
    ]);
  });

  it('is never wider than the terminal', () => {
    expect(written([[0, bytes(5, 2048)]], { isTTY: true, columns: 10 })[0]).toBe('\r5 B of 2…\x1b[K');
  });
});

describe('progress elsewhere', () => {
  it('is nothing for a transfer', () => {
    expect(written([[9000, bytes(1, 2)]], { isTTY: false })).toEqual([]);
  });

  it('is a line a second for longer work, and none in the first second', () => {
    const steps = [0, 900, 1000, 1900, 2000].map((at): [number, ProgressStep] => [at, bytes(at, 4000)]);
    expect(written(steps, { isTTY: false, hasLines: true })).toEqual([
      '1000 B of 3.9 KiB (25 %)\n',
      '2.0 KiB of 3.9 KiB (50 %)\n',
    ]);
  });

  it('is lines in a terminal that cannot overwrite them', () => {
    vi.stubEnv('TERM', 'dumb');
    expect(written([[1000, bytes(1, 2)]], { isTTY: true, hasLines: true })).toEqual(['1 B of 2 B (50 %)\n']);
  });
});
