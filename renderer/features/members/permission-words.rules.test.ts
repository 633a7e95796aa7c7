import { expect, it } from 'vitest';
import { type Leaf, leaves } from '#protocol/access.ts';
import { permissionWords } from './permission-words.rules.ts';

it.each<[readonly Leaf[], string]>([
  [[], 'No extra permissions'],
  [leaves, 'May do everything'],
  [['activity.read', 'members.manage'], 'Manages members, sees all activity'],
])('says %j as %j', (permissions, expected) => {
  expect(permissionWords(permissions)).toBe(expected);
});

it('has words for each permission', () => {
  for (const leaf of leaves) expect(permissionWords([leaf])).toMatch(/^[A-Z][a-z]+ /);
});
