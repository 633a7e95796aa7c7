import { expect, it } from 'vitest';
import type { SearchReply } from './search.ts';
import { searchFurther } from './search-further.ts';

const result: SearchReply['results'][number] = {
  kind: 'message',
  id: 'id',
  scope: 'general',
  ts: 1,
  from: 'ada',
  snippet: '',
  ranges: [],
};
const empty = (next: string | null): SearchReply => ({ results: [], next });

it('goes on from page to page until one has a result, or nothing follows', async () => {
  const asked: (string | undefined)[] = [];
  const found: SearchReply = { results: [result], next: '1-1' };
  const pages = (replies: SearchReply[]) => async (before: string | undefined) => {
    asked.push(before);
    return replies.shift() ?? empty(null);
  };
  expect(await searchFurther(pages([empty('9-9'), empty('8-8'), found]), '10-10')).toBe(found);
  expect(await searchFurther(pages([empty('9-9')]), undefined)).toEqual(empty(null));
  expect(asked).toEqual(['10-10', '9-9', '8-8', undefined, '9-9']);
});

it('leaves it to the caller to go on after 30 pages', async () => {
  let asked = 0;
  const { next } = await searchFurther(async () => empty(`${++asked}-0`), undefined);
  expect([asked, next]).toEqual([30, '30-0']);
});
