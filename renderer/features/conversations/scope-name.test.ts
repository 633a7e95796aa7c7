import { expect, it } from 'vitest';
import { type Known, nameOfScope } from './scope-name.ts';

const known = {
  channels: [{ id: 'c1', slug: 'maps' }],
  objectives: [{ id: 'o1', title: 'Draw the map' }],
} as unknown as Known;

it.each([
  ['general', '#general'],
  ['chan:general', '#general'],
  ['chan:c1', '#maps'],
  ['chan:c2', '#…'],
  ['obj:o1', 'Draw the map'],
  ['obj:o2', 'o2'],
  ['dm:ben', 'ben'],
  ['elsewhere', 'elsewhere'],
])('shows the scope %s as %s', (scope, name) => {
  expect(nameOfScope(scope, known)).toBe(name);
});
