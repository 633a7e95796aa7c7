import { expect, it } from 'vitest';
import { nameMatcher } from './file-names.rules.ts';

it.each([
  ['plan', '/ada/notes/Plan of the harbor.md', true],
  ['HARBOR plan', '/ada/notes/Plan of the harbor.md', true],
  ['notes', '/ada/notes/Plan of the harbor.md', false],
  ['plan reef', '/ada/notes/Plan of the harbor.md', false],
  ['hafenstr\u0061\u0308', '/ada/HafenstrÄnge.txt', true],
  ['%', '/ada/plan.md', false],
  ['_', '/ada/plan.md', false],
])('finds %j in %j: %j', (q, path, isFound) => {
  expect(nameMatcher(q)(path)).toBe(isFound);
});
