import { describe, expect, it } from 'vitest';
import { isReliable, reliedOnMs } from './lease.ts';
import { leaseMs } from './page-log-statements.ts';

const confirmed = { wall: 1_000_000, steady: 5000 };
const later = (wall: number, steady: number) => ({
  wall: confirmed.wall + wall,
  steady: confirmed.steady + steady,
});

describe('a lease', () => {
  it.each([
    ['that was just confirmed', later(0, 0), true],
    ['that was confirmed almost too long ago', later(reliedOnMs - 1, reliedOnMs - 1), true],
    ['that was confirmed too long ago', later(reliedOnMs, reliedOnMs), false],
    ['of a machine that slept', later(60_000, 10), false],
    ['of a machine whose clock was set back', later(-60_000, reliedOnMs), false],
    ['of a machine whose clock was set back a moment ago', later(-60_000, 10), true],
  ])('%s', (_, now, expected) => {
    expect(isReliable(confirmed, now)).toBe(expected);
  });

  it('is relied upon for at most half of the time after which another broker may take it', () => {
    expect(reliedOnMs).toBeLessThanOrEqual(leaseMs / 2);
  });
});
