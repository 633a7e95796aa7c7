import { expect, it } from 'vitest';
import { loserFor, maySend } from './push-places.rules.ts';

it('sends two of a member and eight of all at a time, and always one of each member', () => {
  expect([maySend(0, 0), maySend(1, 7), maySend(2, 2)]).toEqual([true, true, false]);
  expect([maySend(1, 8), maySend(0, 8), maySend(0, 100)]).toEqual([false, true, true]);
});

it('takes a place from nobody while there is one, from the member itself at its share, and then from the fullest', () => {
  const [none, few, many, full] = [0, 3, 200, 400].map((waiting) => ({ waiting }));
  const all = [few!, many!, full!];
  expect(loserFor(none!, all, 1999)).toBeNull();
  expect(loserFor(full!, all, 1000)).toBe(full);
  expect(loserFor(none!, all, 2000)).toBe(full);
  expect(loserFor(many!, [few!, many!, { waiting: 200 }], 2000)).toBe(many);
});
