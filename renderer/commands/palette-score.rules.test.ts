import { expect, it } from 'vitest';
import { bestFirst, scoreOf } from './palette-score.rules.ts';

const titles = (query: string) =>
  bestFirst([{ title: 'Objectives' }, { title: 'New objective' }, { title: 'Log out' }], query).map(
    ({ title }) => title,
  );

it('offers everything in its order until something is typed', () => {
  expect(titles('')).toEqual(['Objectives', 'New objective', 'Log out']);
});

it('matches a title that contains the letters in order', () => {
  expect(titles('lgt')).toEqual(['Log out']);
  expect(scoreOf('tuo', 'Log out')).toBeNull();
});

it('ranks the start of a word above its middle', () => {
  expect(titles('new o')[0]).toBe('New objective');
  expect(scoreOf('o', 'Log out') ?? 0).toBeLessThan(scoreOf('l', 'Log out') ?? 0);
});
