import { expect, it } from 'vitest';
import { laters } from './laters.ts';

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
