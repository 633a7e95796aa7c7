/** Events of the live stream on their way into the cache. */
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { formatScope, scopeOf } from '#protocol/scope.ts';
import { keys } from './keys.ts';
import { createLiveSink } from './live-sink.ts';
import type { ThreadPages } from './thread-pages.ts';

const message = (id: string) =>
  ({ id, ts: 1, from: 'ben', to: null, body: id, data: {} }) as unknown as Message;
const thread = keys.thread(formatScope(scopeOf(message('any'), 'ada')));
let cache: QueryClient;
beforeEach(() => {
  vi.useFakeTimers();
  cache = new QueryClient();
  const pages: ThreadPages = {
    pages: [{ messages: [], hasOlder: false, hasNewer: false }],
    pageParams: [null],
  };
  cache.setQueryData(thread, pages);
});
afterEach(() => {
  cache.clear();
  vi.useRealTimers();
});

const shown = (): string[] =>
  (cache.getQueryData<ThreadPages>(thread)?.pages[0]?.messages ?? []).map(({ id }) => id).reverse();

function burst(sink: ReturnType<typeof createLiveSink>, count: number): string[] {
  const ids = Array.from({ length: count }, (_, n) => `message-${String(n).padStart(4, '0')}`);
  for (const id of ids) sink.handle({ event: 'message', data: JSON.stringify(message(id)) });
  return ids;
}

it('draws a burst over several frames, in its order', () => {
  const sink = createLiveSink(cache, 'ada', () => false);
  const ids = burst(sink, 20);
  expect(shown()).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(shown()).toEqual(ids.slice(0, 4));
  vi.advanceTimersByTime(16);
  expect(shown()).toEqual(ids.slice(0, 8));
  vi.advanceTimersByTime(3 * 16);
  expect(shown()).toEqual(ids);
});

it('draws a long burst within six frames, too', () => {
  const sink = createLiveSink(cache, 'ada', () => false);
  const ids = burst(sink, 390);
  vi.advanceTimersByTime(50 + 5 * 16);
  expect(shown()).toEqual(ids);
});

it('applies everything at once while nobody sees the page', () => {
  const sink = createLiveSink(cache, 'ada', () => true);
  const ids = burst(sink, 20);
  vi.advanceTimersByTime(50);
  expect(shown()).toEqual(ids);
});

it('applies nothing after its end', () => {
  const sink = createLiveSink(cache, 'ada', () => false);
  burst(sink, 20);
  vi.advanceTimersByTime(50);
  sink.stop();
  vi.advanceTimersByTime(1000);
  expect(shown()).toHaveLength(4);
});
