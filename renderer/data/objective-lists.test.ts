/** What a live change of objectives reads, and which titles are asked for, with answers under the test's control. */
import { QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, it } from 'vitest';
import { createClient, type WireReply } from '#protocol/client.ts';
import type { Objective } from '#protocol/objective.ts';
import { keys } from './keys.ts';
import { createObjectiveRefresher } from './objective-lists.ts';
import type { ObjectivePages } from './objective-pages.rules.ts';
import { fetchObjectiveTitle, maxTitles } from './objective-titles.ts';

const objective = (id: string, updatedAt = 1) =>
  ({ id, title: `Title of ${id}`, createdAt: 1, updatedAt, status: 'active', assignee: 'ada' }) as Objective;
const replyOf = (status: number, body: object): WireReply => ({
  status,
  headers: { get: () => null },
  text: async () => JSON.stringify(body),
});
const found = (id: string, updatedAt?: number) =>
  replyOf(200, { objective: objective(id, updatedAt), events: [] });
const missing = replyOf(404, { error: 'not_found', message: 'there is no such objective' });

let cache: QueryClient;
let asked: string[];
let answer: (id: string) => Promise<WireReply>;
const client = createClient(async ({ url }) => {
  const id = url.replace('/objectives/', '');
  asked.push(id);
  return answer(id);
});
const listKey = keys.objectiveList({});
const holdList = (...ids: string[]) =>
  cache.setQueryData<ObjectivePages>(listKey, {
    pages: [{ objectives: ids.map((id) => objective(id)), next: null }],
    pageParams: [{ any: null }],
  });
const listed = () =>
  cache.getQueryData<ObjectivePages>(listKey)?.pages.flatMap(({ objectives }) => objectives) ?? [];
const isStale = () => cache.getQueryState(listKey)?.isInvalidated;

beforeEach(() => {
  cache = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  asked = [];
  answer = async (id) => found(id, 2);
});

describe('a changed objective', () => {
  it('is read, and again after the answer if it changed in the meantime, but only once', async () => {
    holdList('o1');
    const first = Promise.withResolvers<WireReply>();
    answer = () => first.promise;
    const refresh = createObjectiveRefresher(cache, client);
    for (let n = 0; n < 3; n++) refresh('o1');
    expect(asked).toEqual(['o1']);
    answer = async (id) => found(id, 3);
    first.resolve(found('o1', 2));
    await expect.poll(() => listed()[0]?.updatedAt).toBe(3);
    expect(asked).toEqual(['o1', 'o1']);
  });

  it('leaves the lists if the broker does not have it anymore', async () => {
    holdList('o1', 'o2');
    answer = async () => missing;
    createObjectiveRefresher(cache, client)('o1');
    await expect.poll(() => listed().map(({ id }) => id)).toEqual(['o2']);
    expect(isStale()).toBe(false);
  });

  it('makes the lists be read again if it cannot be read', async () => {
    holdList('o1');
    answer = () => Promise.reject(new TypeError('the connection was lost'));
    createObjectiveRefresher(cache, client)('o1');
    await expect.poll(isStale).toBe(true);
  });

  it('is not read one by one if many change at the same time', async () => {
    holdList('o0');
    const first = Promise.withResolvers<WireReply>();
    answer = () => first.promise;
    const refresh = createObjectiveRefresher(cache, client);
    for (let n = 0; n < 100; n++) refresh(`o${n}`);
    first.resolve(found('o0', 2));
    await expect.poll(isStale).toBe(true);
    expect(asked).toEqual(['o0']);
  });

  it('is not read while no list is loaded', async () => {
    createObjectiveRefresher(cache, client)('o1');
    expect(asked).toEqual([]);
  });
});

describe('the title of an objective', () => {
  it('is not asked for if a list has it, and otherwise once', async () => {
    holdList('o1');
    for (const id of ['o1', 'o2', 'o2'])
      expect(await fetchObjectiveTitle(cache, client, id)).toBe(`Title of ${id}`);
    expect(asked).toEqual(['o2']);
  });

  it('is null if it cannot be read, and then not asked for again', async () => {
    answer = async () => missing;
    for (let n = 0; n < 2; n++) expect(await fetchObjectiveTitle(cache, client, 'o1')).toBeNull();
    expect(asked).toEqual(['o1']);
  });

  it('is forgotten after many others', async () => {
    for (let n = 0; n <= 2 * maxTitles; n++) await fetchObjectiveTitle(cache, client, `o${n}`);
    const held = cache.getQueryCache().findAll({ queryKey: keys.objectiveTitles });
    expect(held.length).toBeLessThanOrEqual(maxTitles + 1);
    cache.clear();
  });
});
