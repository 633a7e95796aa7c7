/** When lists of objectives are read again, and which titles are asked for, with answers under the test's control. */
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createClient, type WireReply } from '#protocol/client.ts';
import type { Objective } from '#protocol/objective.ts';
import { keys } from './keys.ts';
import type { ObjectivePage, ObjectivePages } from './objective-pages.rules.ts';
import { fetchObjectiveTitle, maxTitles } from './objective-titles.ts';
import { createRefresher, type RefresherTimes } from './refresher.ts';

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

beforeEach(() => {
  cache = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  asked = [];
  answer = async (id) => found(id, 2);
});

/** A list that is shown, whose readings the test answers one by one. */
function showList() {
  const readings: PromiseWithResolvers<ObjectivePage>[] = [];
  const observer = new InfiniteQueryObserver(cache, {
    queryKey: listKey,
    initialPageParam: null,
    queryFn: () => {
      const reading = Promise.withResolvers<ObjectivePage>();
      readings.push(reading);
      return reading.promise;
    },
    getNextPageParam: () => null,
  });
  onTestFinished(observer.subscribe(() => undefined));
  const answer = async (at: number, ...ids: string[]) => {
    await expect.poll(() => readings.length).toBe(at + 1);
    readings[at]?.resolve({ objectives: ids.map((id) => objective(id)), next: null });
    await expect.poll(shownIds).toEqual(ids);
  };
  return { readings, answer };
}
const shownIds = () => listed().map(({ id }) => id);

function refresher(times: Partial<RefresherTimes> = {}) {
  const made = createRefresher(cache, keys.objectives, {
    restMs: 1,
    retryMs: 1,
    patienceMs: 60_000,
    ...times,
  });
  onTestFinished(made.stop);
  return made;
}

describe('the lists of objectives', () => {
  it('are read once for all changes, and once more for those during the reading', async () => {
    const { readings, answer } = showList();
    await answer(0, 'o1');
    const { refresh } = refresher();
    for (let n = 0; n < 500; n++) refresh();
    await expect.poll(() => readings.length).toBe(2);
    for (let n = 0; n < 500; n++) refresh();
    await answer(1, 'o2');
    await answer(2, 'o3');
    expect(readings).toHaveLength(3);
  });

  it('are read again after a first answer that is under way', async () => {
    const { answer } = showList();
    refresher().refresh();
    await answer(0, 'old');
    await answer(1, 'new');
  });

  it('are read again until it succeeds', async () => {
    const { readings, answer } = showList();
    await answer(0, 'o1');
    refresher().refresh();
    for (const at of [1, 2]) {
      await expect.poll(() => readings.length).toBe(at + 1);
      readings[at]?.reject(new TypeError('the connection was lost'));
    }
    await answer(3, 'o2');
  });

  it('are read again if an answer never comes', async () => {
    const { readings, answer } = showList();
    await answer(0, 'o1');
    refresher({ patienceMs: 1 }).refresh();
    await expect.poll(() => readings.length).toBeGreaterThan(2);
  });

  it('begin again when they are shown if they were hidden', async () => {
    holdList('old');
    refresher().refresh();
    expect(cache.getQueryData(listKey)).toBeUndefined();
    const { answer } = showList();
    await answer(0, 'new');
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
