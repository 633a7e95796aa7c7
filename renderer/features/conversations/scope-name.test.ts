import { expect, it } from 'vitest';
import { type Known, nameOfScope } from './scope-name.ts';

const channels = [{ id: 'c1', slug: 'maps' }] as unknown as Known['channels'];

it.each([
  ['general', undefined, '#general'],
  ['chan:general', undefined, '#general'],
  ['chan:c1', undefined, '#maps'],
  ['chan:c2', undefined, '#…'],
  ['obj:o1', 'Draw the map', 'Draw the map'],
  ['obj:o2', undefined, 'o2'],
  ['dm:ben', undefined, 'ben'],
  ['elsewhere', undefined, 'elsewhere'],
])('shows the scope %s of the objective %j as %s', (scope, objectiveTitle, name) => {
  expect(nameOfScope(scope, { channels, objectiveTitle })).toBe(name);
});
