import { describe, expect, it } from 'vitest';
import { longestLife, slopeOf } from './tally.ts';

const samples = (...bytes: number[]) => bytes.map((one, ageMinutes) => ({ ageMinutes, bytes: one }));

describe('the slope of memory', () => {
  it('is what grows per minute', () => {
    expect(slopeOf(samples(100, 110, 120, 130))).toBeCloseTo(10);
    expect(slopeOf(samples(100, 120, 100, 120, 100))).toBeCloseTo(0);
  });

  it('is unknown within two minutes', () => {
    expect(slopeOf(samples(100, 110))).toBeNull();
    expect(slopeOf([])).toBeNull();
  });

  it('is that of the second half of the process that was sampled most often', () => {
    const long = samples(1, 2, 3, 4);
    expect(longestLife([samples(9, 9), long, samples(8)])).toEqual(long.slice(2));
    expect(longestLife([])).toEqual([]);
  });
});
