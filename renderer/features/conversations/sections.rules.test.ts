import { expect, it } from 'vitest';
import { type Conversation, sectionsOf, shownCount } from './sections.rules.ts';

const of = (scope: string, kind: Conversation['kind'], count = 0, mentions = 0) => ({
  scope,
  kind,
  count,
  mentions,
});
const all = [
  of('general', 'channel', 3),
  of('chan:c1', 'channel', 2, 1),
  of('dm:ben', 'direct', 1),
  of('dm:cy', 'direct'),
  of('dm:dan', 'direct', 4),
  of('obj:o1', 'thread', 1, 1),
];
const scopesIn = (muted: string[], favorites: string[], kept: Conversation | null) =>
  Object.fromEntries(
    Object.entries(sectionsOf(all, { muted: new Set(muted), favorites: new Set(favorites) }, kept)).map(
      ([title, found]) => [title, found.map(({ scope }) => scope)],
    ),
  );

it('puts unread conversations first, direct ones before mentions and those before others', () => {
  expect(scopesIn([], ['dm:ben'], null)).toEqual({
    Unread: ['dm:ben', 'dm:dan', 'chan:c1', 'obj:o1', 'general'],
    Favorites: [],
    'Direct messages': ['dm:cy'],
    Channels: [],
    'Objective threads': [],
  });
});

it('leaves muted conversations without mentions, and keeps the open one where it was when it was opened', () => {
  expect(scopesIn(['dm:dan', 'general', 'chan:c1'], ['dm:dan'], of('dm:cy', 'direct', 1))).toEqual({
    Unread: ['dm:ben', 'dm:cy', 'chan:c1', 'obj:o1'],
    Favorites: ['dm:dan'],
    'Direct messages': [],
    Channels: ['general'],
    'Objective threads': [],
  });
});

it.each([
  ['read, then unread', of('dm:ben', 'direct'), 'Direct messages', ['dm:ben', 'dm:cy']],
  [
    'mentioned, then not',
    of('general', 'channel', 1, 1),
    'Unread',
    ['dm:ben', 'dm:dan', 'general', 'chan:c1', 'obj:o1'],
  ],
] as const)('keeps the place of an open conversation that was %s', (_, kept, title, expected) => {
  expect(scopesIn([], [], kept)[title]).toEqual(expected);
});

it('counts only the mentions of a muted conversation', () => {
  expect(shownCount(of('dm:x', 'direct', 5, 2), new Set(['dm:x']))).toBe(2);
  expect(shownCount(of('dm:x', 'direct', 5, 2), new Set())).toBe(5);
});
