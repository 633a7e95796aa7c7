import { expect, it } from 'vitest';
import { parseScope } from '#protocol/scope.ts';
import { scopeText } from './scope-text.ts';

const slugs = new Map([['ch_0123456789', 'release']]);

it.each([
  ['general', '#general'],
  ['chan:ch_0123456789', '#release'],
  ['chan:ch_9999999999', '#ch_9999999999'],
  ['obj:obj_0123456789', 'objective obj_0123456789'],
  ['dm:ben', 'direct with ben'],
])('shows %s as "%s"', (name, text) => {
  const scope = parseScope(name);
  expect(scope && scopeText(scope, slugs)).toBe(text);
});
