import { expect, it } from 'vitest';
import type { SearchReply } from '#protocol/search.ts';
import { findObjectives } from './objective-search.rules.ts';

const result = (kind: 'message' | 'objective', id: string) =>
  ({ kind, id }) as SearchReply['results'][number];

it('goes on behind pages of messages, and ends with the last page', async () => {
  const pages: Record<string, SearchReply> = {
    first: { results: [result('message', 'm1')], next: 'second' },
    second: { results: [result('objective', 'o2'), result('message', 'm2')], next: 'third' },
    third: { results: [result('objective', 'o1')], next: null },
  };
  expect(await findObjectives('map', async (before = 'first') => pages[before]!)).toEqual(['o2', 'o1']);
});

it('reads a bounded number of pages, and returns a bounded number of objectives', async () => {
  let asked = 0;
  const onlyMessages = async () => {
    asked++;
    return { results: [result('message', 'm')], next: String(asked) };
  };
  expect(await findObjectives('map', onlyMessages)).toEqual([]);
  expect(asked).toBe(5);
  const many = Array.from({ length: 100 }, (_, n) => result('objective', `o${n}`));
  expect(await findObjectives('map', async () => ({ results: many, next: '1' }))).toHaveLength(8);
});

it('takes an id for the objective itself, without a search', async () => {
  const ask = () => Promise.reject(new Error('no search'));
  expect(await findObjectives('OBJ_012345678A', ask)).toEqual(['obj_012345678a']);
});
