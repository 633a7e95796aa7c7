import { expect, it } from 'vitest';
import { neighborOf } from './neighbor.rules.ts';

it.each([
  { leaving: 'a', neighbor: 'b' },
  { leaving: 'b', neighbor: 'c' },
  { leaving: 'c', neighbor: 'b' },
  { leaving: 'x', neighbor: 'a' },
])('finds $neighbor beside $leaving', ({ leaving, neighbor }) => {
  expect(neighborOf(['a', 'b', 'c'], (one) => one === leaving)).toBe(neighbor);
});

it('finds nothing beside the only entry', () => {
  expect(neighborOf(['a'], (one) => one === 'a')).toBeNull();
  expect(neighborOf([], () => true)).toBeNull();
});
