import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistogram } from './histogram.ts';

describe('a histogram', () => {
  it('is all zero before the first record', () => {
    expect(createHistogram().read()).toEqual({ p50Ms: 0, p99Ms: 0, maxMs: 0 });
  });

  it('counts what is at most as long as each bound, and adds up all of it', () => {
    const histogram = createHistogram();
    for (const ms of [0.005, 0.01, 0.011, 0.02, 5, 1e9]) histogram.record(ms);
    const bounds = histogram.upTo();
    expect(bounds.slice(0, 3)).toEqual([
      { ms: 0.01, count: 2 },
      { ms: 0.02, count: 4 },
      { ms: 0.04, count: 4 },
    ]);
    expect(bounds.at(-1)?.count).toBe(5);
    expect(bounds.map(({ ms }) => ms)).toEqual(bounds.map(({ ms }) => ms).toSorted((a, b) => a - b));
    expect(histogram.sumMs).toBeCloseTo(1e9 + 5.046, 2);
  });

  it('keeps percentiles within a fifth above the true ones, and the true maximum', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.02, max: 30_000, noNaN: true }), { minLength: 1 }), (all) => {
        const histogram = createHistogram();
        for (const ms of all) histogram.record(ms);
        const sorted = all.toSorted((a, b) => a - b);
        const { p50Ms, p99Ms, maxMs } = histogram.read();
        for (const [part, found] of [
          [0.5, p50Ms],
          [0.99, p99Ms],
        ] as const) {
          const exact = sorted[Math.ceil(all.length * part) - 1] ?? 0;
          expect(found).toBeGreaterThanOrEqual(exact - 0.001);
          expect(found).toBeLessThanOrEqual(exact * 1.2 + 0.001);
        }
        expect(maxMs).toBeCloseTo(sorted.at(-1) ?? 0, 2);
        expect(histogram.count).toBe(all.length);
      }),
    );
  });

  it('takes durations below and above its buckets', () => {
    const histogram = createHistogram();
    for (const ms of [0, 10_000_000]) histogram.record(ms);
    expect(histogram.read()).toMatchObject({ p50Ms: 0.01, maxMs: 10_000_000 });
  });
});
