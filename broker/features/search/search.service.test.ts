import { expect, it } from 'vitest';
import { MemberName } from '#protocol/ids.ts';
import type { SearchQuery, SearchReply } from '#protocol/search.ts';
import { createSearch } from './search.service.ts';
import type { SearchRequest } from './search.sqlite.ts';

const ada = MemberName.parse('ada');
const result = (id: string): SearchReply['results'][number] => ({
  ...{ kind: 'message', id, scope: 'general', ts: 1, from: 'ben', snippet: 'word', ranges: [] },
});
const query = (over: Partial<SearchQuery> = {}): SearchQuery => ({ q: 'word', limit: 3, ...over });

/** Steps that each take so many ms. */
function searchOf(steps: SearchReply[], tookMs: number) {
  const asked: Pick<SearchRequest, 'before' | 'limit'>[] = [];
  let now = 0;
  const search = createSearch({
    units: {
      searchPage: async ({ before, limit }) => {
        asked.push({ before, limit });
        now += tookMs;
        return steps.shift() ?? { results: [], next: null };
      },
    },
    members: { readerOf: (name) => ({ name, isManager: false }) },
    indexer: { caughtUp: async () => undefined, noteDamage: async () => undefined },
    stopwatch: () => now,
  });
  return { search, asked };
}

it('goes on step by step until the page is full', async () => {
  const { search, asked } = searchOf(
    [
      { results: [result('a')], next: '9-8' },
      { results: [], next: '7-6' },
      { results: [result('b'), result('c')], next: '5-4' },
    ],
    1,
  );
  expect(await search.search(ada, query())).toEqual({
    results: [result('a'), result('b'), result('c')],
    next: '5-4',
  });
  expect(asked).toEqual([
    { before: null, limit: 3 },
    { before: { message: 9, objective: 8 }, limit: 2 },
    { before: { message: 7, objective: 6 }, limit: 2 },
  ]);
});

it('ends the page when its time is over, and says where it goes on', async () => {
  const steps = Array.from({ length: 9 }, (_, n): SearchReply => ({ results: [], next: `${9 - n}-0` }));
  const { search, asked } = searchOf(steps, 4);
  expect(await search.search(ada, query({ before: '10-0' }))).toEqual({ results: [], next: '7-0' });
  expect(asked).toHaveLength(3);
});

it('ends with the last step', async () => {
  const { search } = searchOf([{ results: [result('a')], next: null }], 1);
  expect(await search.search(ada, query())).toEqual({ results: [result('a')], next: null });
});

it('says that older messages are being indexed if any step says so', async () => {
  const { search } = searchOf(
    [
      { results: [], next: '9-8', indexing: true },
      { results: [result('a')], next: null },
    ],
    1,
  );
  expect(await search.search(ada, query())).toEqual({ results: [result('a')], next: null, indexing: true });
});
