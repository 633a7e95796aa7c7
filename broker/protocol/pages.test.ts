import { describe, expect, it } from 'vitest';
import { allOf, firstOf, pagesOf } from './pages.ts';

const keys = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `k${String(n).padStart(3, '0')}`);

/** A list that records which keys it was asked for. */
function listOf(all: string[], pageSize: number, answer: (after: string) => string[]) {
  const asked: (string | undefined)[] = [];
  const pages = pagesOf({
    pageSize,
    keyOf: (key: string) => key,
    ask: async (after) => {
      asked.push(after);
      return after === undefined ? all.slice(0, pageSize) : answer(after);
    },
  });
  return { asked, pages };
}
const paged = (all: string[], pageSize: number) =>
  listOf(all, pageSize, (after) => all.filter((key) => key > after).slice(0, pageSize));

describe('a list that is read in pages', () => {
  it.each([
    { count: 0, requests: 1 },
    { count: 2, requests: 1 },
    { count: 3, requests: 2 },
    { count: 7, requests: 3 },
  ])('has each of $count items once, after $requests requests', async ({ count, requests }) => {
    const { asked, pages } = paged(keys(count), 3);
    expect(await allOf(pages)).toEqual(keys(count));
    expect(asked).toHaveLength(requests);
  });

  it('goes on after an item that was removed in the meantime', async () => {
    const { pages } = listOf(keys(3), 3, (after) => (after === 'k002' ? ['k003'] : []));
    expect(await allOf(pages)).toEqual(keys(4));
  });

  it.each([3, 4, 9])(
    'is read once from a broker that answers all %i items to every request',
    async (count) => {
      const all = keys(count);
      const pages = pagesOf({ pageSize: 3, keyOf: (key: string) => key, ask: async () => all });
      expect(await allOf(pages)).toEqual(all);
    },
  );

  it('begins after a given key', async () => {
    const pages = pagesOf({
      pageSize: 3,
      keyOf: (key: string) => key,
      after: 'k001',
      ask: async (after = '') => keys(4).filter((key) => key > after),
    });
    expect(await allOf(pages)).toEqual(['k002', 'k003']);
  });

  it('throws the failure of a page', async () => {
    const { pages } = listOf(keys(3), 3, () => {
      throw new Error('lost');
    });
    await expect(allOf(pages)).rejects.toThrow('lost');
  });
});

describe('the first items of a list', () => {
  it.each([
    { max: 4, hasMore: true, requests: 2 },
    { max: 3, hasMore: true, requests: 2 },
    { max: 2, hasMore: true, requests: 1 },
    { max: 7, hasMore: false, requests: 3 },
    { max: 9, hasMore: false, requests: 3 },
  ])('are at most $max, read with $requests requests', async ({ max, hasMore, requests }) => {
    const { asked, pages } = paged(keys(7), 3);
    expect(await firstOf(pages, max)).toEqual({ items: keys(Math.min(max, 7)), hasMore });
    expect(asked).toHaveLength(requests);
  });
});
