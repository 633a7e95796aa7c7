import { expect, it } from 'vitest';
import { type Leaf, leaves } from '#protocol/access.ts';
import { permissionLine, permissionWords } from './permission-words.ts';

it.each<[readonly Leaf[], string]>([
  [[], 'No extra permissions'],
  [leaves, 'May do everything'],
  [['objectives.reassign'], 'No extra permissions'],
  [['members.manage', 'objectives.reassign'], 'May manage members, reassign objectives'],
  [['members.manage', 'activity.read'], 'May manage members, see all activity'],
])('says %j as %j', (permissions, expected) => {
  expect(permissionLine(permissions)).toBe(expected);
});

it('has words for each permission', () => {
  for (const leaf of leaves) expect(permissionWords[leaf]).toMatch(/^[A-Z][a-z]+ /);
});
