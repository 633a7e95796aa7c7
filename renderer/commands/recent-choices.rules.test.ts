import { expect, it } from 'vitest';
import { maxRecent, recentIn, withChoice } from './recent-choices.rules.ts';

it('puts the newest choice first, each once, up to a bound', () => {
  expect(withChoice(['a', 'b', 'c'], 'b')).toEqual(['b', 'a', 'c']);
  const many = Array.from({ length: maxRecent }, (_, n) => String(n));
  expect(withChoice(many, 'new')).toHaveLength(maxRecent);
  expect(withChoice(many, 'new')[0]).toBe('new');
});

it.each([null, '{}', '[1, null]', JSON.stringify(['x'.repeat(1000)])])('reads nothing from %j', (text) => {
  expect(recentIn(text)).toEqual([]);
});

it('reads a bounded number', () => {
  expect(recentIn(JSON.stringify(Array.from({ length: 99 }, (_, n) => String(n))))).toHaveLength(maxRecent);
});
