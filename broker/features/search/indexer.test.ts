import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemberName } from '#protocol/ids.ts';
import type { Members } from '../members/members.service.ts';
import { createIndexer } from './indexer.service.ts';
import type { IndexTurn } from './search-index.sqlite.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const teammate = (name: string) => ({ name: MemberName.parse(name), role: { title: name, description: '' } });

/** An indexer whose turns the test ends. */
function createTurns() {
  const begun: IndexTurn[] = [];
  const errors: unknown[] = [];
  let teammates = [teammate('ada')];
  let settle: {
    resolve: (isComplete: boolean, hasOlder: boolean) => void;
    reject: (error: Error) => void;
  } | null = null;
  const indexer = createIndexer({
    units: {
      fillIndex(turn) {
        begun.push(turn);
        return new Promise((resolve, reject) => {
          settle = { resolve: (isComplete, hasOlder) => resolve({ upTo: 0, isComplete, hasOlder }), reject };
        });
      },
    },
    members: { all: () => teammates } as unknown as Members,
    onError: (error) => errors.push(error),
    stopwatch: () => Date.now(),
  });
  return {
    indexer,
    begun,
    errors,
    async end(isComplete = true, hasOlder = false) {
      settle?.resolve(isComplete, hasOlder);
      await vi.advanceTimersByTimeAsync(0);
    },
    async fail() {
      settle?.reject(new Error('no'));
      await vi.advanceTimersByTimeAsync(0);
    },
    join: (name: string) => {
      teammates = [...teammates, teammate(name)];
    },
    leave: (name: string) => {
      teammates = teammates.filter((one) => one.name !== name);
    },
  };
}

it('rests after a turn that caught up, so that later posts share the next one', async () => {
  const { indexer, begun, end } = createTurns();
  indexer.wake();
  for (let turns = 0; turns < 3; turns++) {
    await vi.advanceTimersByTimeAsync(49);
    expect(begun).toHaveLength(turns);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toHaveLength(turns + 1);
    indexer.wake();
    await end();
  }
});

it.each([
  ['four times as long as a turn took while members post', true, 12],
  ['as long as a turn took when a burst is over', false, 3],
])('rests %s and something is left', async (_, isPosted, restMs) => {
  const { indexer, begun, end } = createTurns();
  indexer.wake();
  await vi.advanceTimersByTimeAsync(50);
  if (isPosted) indexer.wake();
  await vi.advanceTimersByTimeAsync(3);
  await end(false);
  await vi.advanceTimersByTimeAsync(restMs - 1);
  expect(begun).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(2);
});

it('rests only as long as a turn took while a caller waits, and lets it go when what it waits for is indexed', async () => {
  const { indexer, begun, end } = createTurns();
  indexer.wake();
  await vi.advanceTimersByTimeAsync(50);
  indexer.wake();
  await end();
  expect(begun).toHaveLength(1);
  let isReached = false;
  void indexer.caughtUp().then(() => {
    isReached = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toHaveLength(2);
  indexer.wake();
  await vi.advanceTimersByTimeAsync(3);
  await end(false);
  await vi.advanceTimersByTimeAsync(2);
  expect([begun.length, isReached]).toEqual([2, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([begun.length, isReached]).toEqual([3, false]);
  indexer.wake();
  await end();
  expect(isReached).toBe(true);
  expect(begun).toHaveLength(3);
});

it('lets callers go when a turn fails, and tries again with the next post', async () => {
  const { indexer, begun, errors, fail, end } = createTurns();
  indexer.wake();
  const reached = indexer.caughtUp();
  await fail();
  await reached;
  expect(errors).toHaveLength(1);
  indexer.wake();
  await vi.advanceTimersByTimeAsync(50);
  expect(begun).toHaveLength(2);
  await end();
  await indexer.caughtUp();
});

it('sends only the names of members who joined or left since the turn before', async () => {
  const { indexer, begun, end, fail, join, leave } = createTurns();
  const sentNames = () => begun.map(({ joined, left }) => [joined, left]);
  const turn = async (conclude: () => Promise<void>) => {
    indexer.wake();
    await vi.advanceTimersByTimeAsync(50);
    await conclude();
  };
  await turn(fail);
  await turn(end);
  await turn(end);
  join('ben');
  await turn(end);
  leave('ada');
  await turn(end);
  expect(sentNames()).toEqual([
    [['ada'], []],
    [['ada'], []],
    [[], []],
    [['ben'], []],
    [[], ['ada']],
  ]);
});

it('goes on with older messages, for which no caller waits', async () => {
  const { indexer, begun, end } = createTurns();
  indexer.wake();
  await vi.advanceTimersByTimeAsync(50);
  await vi.advanceTimersByTimeAsync(2);
  await end(true, true);
  await indexer.caughtUp();
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(2);
  await end(true, false);
  await vi.advanceTimersByTimeAsync(1000);
  expect(begun).toHaveLength(2);
});
