/** How many items need the member, if the broker answers late, and if there is much news. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BrokerClient } from '#protocol/client.ts';
import { createInboxCount, type InboxCount } from './inbox-count.ts';

let asked: PromiseWithResolvers<{ items: unknown[] }>[];
let member: string | null;
let told: number[];
let inbox: InboxCount;
beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  told = [];
  member = 'ada';
  inbox = createInboxCount({
    client: {
      call() {
        const answer = Promise.withResolvers<{ items: unknown[] }>();
        asked.push(answer);
        return answer.promise;
      },
    } as unknown as BrokerClient,
    member: () => member,
    onChange: () => told.push(inbox.count),
    log: { warn: () => undefined },
    pauseMs: 1000,
  });
});
afterEach(() => {
  inbox.close();
  vi.useRealTimers();
});

const answer = (at: number, count: number) => {
  asked[at]?.resolve({ items: Array.from({ length: count }, () => ({})) });
  return vi.advanceTimersByTimeAsync(0);
};

test('reads at once, and once more after a pause, however much news there is', async () => {
  for (let n = 0; n < 50; n++) inbox.read();
  expect(asked).toHaveLength(1);
  await answer(0, 2);
  for (let n = 0; n < 50; n++) inbox.read();
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toHaveLength(2);
  await answer(1, 2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toHaveLength(2);
  expect(told).toEqual([2]);
});

test('shows nothing of one member to the next one, also if the answer arrives late', async () => {
  inbox.read();
  await answer(0, 3);
  await vi.advanceTimersByTimeAsync(1000);
  inbox.read();
  member = 'ben';
  inbox.read();
  expect(inbox.count).toBe(0);
  await answer(1, 3);
  expect(inbox.count).toBe(0);
  await vi.advanceTimersByTimeAsync(1000);
  await answer(2, 1);
  expect(told).toEqual([3, 0, 1]);
  member = null;
  inbox.read();
  expect(inbox.count).toBe(0);
});

test('goes on after a reading that failed', async () => {
  inbox.read();
  asked[0]?.reject(new Error('the broker stopped'));
  await vi.advanceTimersByTimeAsync(1000);
  inbox.read();
  await answer(1, 1);
  expect(told).toEqual([1]);
});
