import { expect, it } from 'vitest';
import { memberChanges } from './member-changes.rules.ts';

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => ({ name })) as [object, object, object, object];

it.each([
  ['nothing', [a, b], [a, b], [], []],
  ['the first members', [], [a, b], [], [a, b]],
  ['a member who joins at the end', [a], [a, b], [], [b]],
  ['a member who joins in front', [b], [a, b], [], [a]],
  ['a member who leaves from the middle', [a, b, c], [a, c], [b], []],
  ['a member who changed', [a, b, c], [a, d, c], [b], [d]],
  ['members in another order', [a, b, c], [c, b, a], [], []],
  ['several places', [a, b, c], [b, d], [a, c], [d]],
])('tells who left and who entered: %s', (_, before, after, left, entered) => {
  expect(memberChanges(before, after)).toEqual({ left, entered });
});
