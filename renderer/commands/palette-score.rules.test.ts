import { expect, it } from 'vitest';
import { bestFirst, scoreOf } from './palette-score.rules.ts';

const titles = (query: string) =>
  bestFirst([{ title: 'Objectives' }, { title: 'New objective' }, { title: 'Log out' }], query).map(
    ({ title }) => title,
  );

it('everything is offered in its order until something is typed', () => {
  expect(titles('')).toEqual(['Objectives', 'New objective', 'Log out']);
});

it('a title fits if it has the letters in their order', () => {
  expect(titles('lgt')).toEqual(['Log out']);
  expect(scoreOf('tuo', 'Log out')).toBeNull();
});

it('the start of a word counts more than its middle', () => {
  expect(titles('new o')[0]).toBe('New objective');
  expect(scoreOf('o', 'Log out') ?? 0).toBeLessThan(scoreOf('l', 'Log out') ?? 0);
});
