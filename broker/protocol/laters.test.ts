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

it('a device cannot be put off beyond the end of its code', () => {
  const now = new Date(2026, 10, 24, 15, 30).getTime();
  const idsAt = (minutes: number) =>
    latersOf({ kind: 'device', until: now + minutes * 60_000 }, now).map(({ id }) => id);
  expect(idsAt(10)).toEqual([]);
  expect(idsAt(60)).toEqual([]);
  expect(idsAt(61)).toEqual(['hour']);
  expect(idsAt(24 * 60)).toEqual(['hour', 'tomorrow']);
  expect(latersOf({ kind: 'agent', until: now + 60_000 }, now)).toEqual(laters);
});
