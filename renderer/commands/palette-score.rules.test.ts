import { describe, expect, it } from 'vitest';
import { bestFirst, maxShown, scoreOf, shownEntries } from './palette-score.rules.ts';

const titles = (query: string) =>
  bestFirst(
    ['Objectives', 'New objective', 'Log out'].map((title) => ({ id: title, title })),
    query,
  ).map(({ title }) => title);

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

describe('what was chosen before', () => {
  const entries = ['ben', 'Message ben', 'Message bea', 'Log out'].map((title) => ({ id: title, title }));
  const idsOf = (query: string, recent: string[]) => bestFirst(entries, query, recent).map(({ id }) => id);

  it('comes first while nothing is typed, without what is gone', () => {
    expect(idsOf('', ['Log out', 'gone', 'Message ben'])).toEqual([
      'Log out',
      'Message ben',
      'ben',
      'Message bea',
    ]);
  });

  it('wins over a similar title, and not over a better one', () => {
    expect(idsOf('message be', ['Message bea'])[0]).toBe('Message bea');
    expect(idsOf('ben', ['Log out'])).toEqual(['ben', 'Message ben']);
    expect(idsOf('message ben', ['Message bea'])).toEqual(['Message ben']);
  });
});

describe('what the broker found', () => {
  const entry = (id: string) => ({ id, title: `Objective ${id}` });
  const idsOf = (entries: { id: string }[], found: { id: string }[]) =>
    shownEntries(
      entries.map(({ id }) => entry(id)),
      found.map(({ id }) => entry(id)),
      'objective',
    ).map(({ id }) => id);

  it('follows the entries that match, each once', () => {
    expect(idsOf([entry('1'), entry('2')], [entry('2'), entry('old')])).toEqual(['1', '2', 'old']);
  });

  it('has its place although more entries match than are shown', () => {
    const many = Array.from({ length: maxShown + 1 }, (_, n) => entry(String(n)));
    expect(idsOf(many, [entry('old')])).toHaveLength(maxShown);
    expect(idsOf(many, [entry('old')]).at(-1)).toBe('old');
  });
});
