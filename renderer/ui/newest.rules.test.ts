import { expect, it } from 'vitest';
import { rememberNewest } from './newest.rules.ts';

it('keeps the newest texts', () => {
  const texts = new Set<string>();
  for (const text of ['a', 'b', 'c', 'd']) rememberNewest(texts, text, 3);
  expect([...texts]).toEqual(['b', 'c', 'd']);
});

it('keeps a text once, as new as it was last remembered', () => {
  const texts = new Set(['a', 'b', 'c']);
  rememberNewest(texts, 'a', 3);
  rememberNewest(texts, 'd', 3);
  expect([...texts]).toEqual(['c', 'a', 'd']);
});
