import { expect, it } from 'vitest';
import { extendedTo, nothingSelected, toggledIn } from './selection.rules.ts';

const order = ['a', 'b', 'c', 'd'];
const idsOf = ({ ids }: { ids: ReadonlySet<string> }) => [...ids].sort().join('');

it('selects and leaves out one at a time', () => {
  const one = toggledIn(nothingSelected, 'b');
  expect(idsOf(one)).toBe('b');
  expect(idsOf(toggledIn(one, 'b'))).toBe('');
});

it('extends to both sides of the same anchor', () => {
  const at = toggledIn(nothingSelected, 'c');
  expect(idsOf(extendedTo(at, order, 'd'))).toBe('cd');
  expect(idsOf(extendedTo(extendedTo(at, order, 'd'), order, 'a'))).toBe('abcd');
});

it('begins at the objective itself if the anchor is not in the list', () => {
  expect(idsOf(extendedTo(nothingSelected, order, 'b'))).toBe('b');
  expect(idsOf(extendedTo({ ids: new Set(), anchor: 'gone' }, order, 'b'))).toBe('b');
});
