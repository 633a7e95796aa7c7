import { expect, it } from 'vitest';
import { atSight } from './last-visit.rules.ts';

const minute = 60_000;

it('a visit begins where the one before ended, after half an hour away', () => {
  const first = atSight(null, 100 * minute, 5);
  expect(first).toEqual({ seen: 100 * minute, before: 5 });
  const still = atSight(first, 120 * minute, 6);
  expect(still).toEqual({ seen: 120 * minute, before: 5 });
  expect(atSight(still, 151 * minute, 7)).toEqual({ seen: 151 * minute, before: 120 * minute });
});
