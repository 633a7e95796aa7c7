import { expect, it } from 'vitest';
import { laters, latersOf } from './laters.ts';

it('an item that is put off comes back in an hour, in the morning, or on Monday', () => {
  const tuesday = new Date(2026, 10, 24, 15, 30).getTime();
  const monday = new Date(2026, 10, 23, 15, 30).getTime();
  expect(laters.map(({ at }) => new Date(at(tuesday)).toString())).toEqual([
    new Date(2026, 10, 24, 16, 30).toString(),
    new Date(2026, 10, 25, 9).toString(),
    new Date(2026, 10, 30, 9).toString(),
  ]);
  expect(laters[2]?.at(monday)).toBe(new Date(2026, 10, 30, 9).getTime());
});

it('an item that ends by itself cannot be put off beyond its end', () => {
  const now = new Date(2026, 10, 24, 15, 30).getTime();
  const until = (minutes: number) => latersOf({ until: now + minutes * 60_000 }, now).map(({ id }) => id);
  expect(until(10)).toEqual([]);
  expect(until(60)).toEqual([]);
  expect(until(61)).toEqual(['hour']);
  expect(until(24 * 60)).toEqual(['hour', 'tomorrow']);
  expect(latersOf({}, now)).toEqual(laters);
});
