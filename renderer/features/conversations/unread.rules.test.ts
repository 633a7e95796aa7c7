import { expect, it } from 'vitest';
import { formerPartners, personalCount, threadsWithNews } from './unread.rules.ts';

const of = (scope: string, count: number, mentions = 0) => ({ scope, count, mentions, lastReadId: null });
const counts = [
  of('general', 7, 1),
  of('chan:c1', 3),
  of('dm:ben', 2, 1),
  of('dm:cy', 0),
  of('obj:o1', 4, 2),
  of('obj:o2', 0),
];

it('counts direct messages, and mentions elsewhere, for the badge', () => {
  expect(personalCount(counts, new Set())).toBe(1 + 2 + 2);
  expect(personalCount(counts, new Set(['dm:ben', 'general']))).toBe(1 + 1 + 2);
  expect(personalCount([], new Set())).toBe(0);
});

it('lists threads of objectives if they have unread messages or are open', () => {
  expect(threadsWithNews(counts, 'general')).toEqual(['o1']);
  expect(threadsWithNews(counts, 'obj:o2')).toEqual(['o1', 'o2']);
});

it('keeps a member who left in the list of direct messages', () => {
  expect(formerPartners(counts, new Set(['ben', 'ada']))).toEqual(['cy']);
});
