import { describe, expect, it } from 'vitest';
import { growthOf } from './scale.rules.ts';

const cost = (cpuMs: number, bytes: number | null = 1000) => ({ cpuMs, bytes });

describe('growthOf', () => {
  it.each([
    ['a read that costs the same', cost(1), cost(1), 'none'],
    ['a read that costs a little more', cost(1), cost(1.4), 'none'],
    ['a cheap read whose cost is mostly noise', cost(0.05), cost(0.12), 'none'],
    ['a read that costs ten times as much', cost(1), cost(10), 'beyond the answer'],
    ['a read whose answer is ten times as long', cost(1), cost(10, 10_000), 'with the answer'],
    ['a read that grows faster than its answer', cost(1), cost(40, 10_000), 'beyond the answer'],
    ['a read with a shorter answer', cost(1), cost(2, 10), 'beyond the answer'],
    ['a read whose bytes were not counted', cost(1, null), cost(2, null), 'beyond the answer'],
  ])('judges %s', (_, small, large, growth) => {
    expect(growthOf(small, large)).toBe(growth);
  });
});
