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
  let position = 0;
  let coveredByTurn = 0;
  let upTo = 0;
  let settle: {
    resolve: (isComplete: boolean, hasOlder: boolean) => void;
    reject: (error: Error) => void;
  } | null = null;
  const indexer = createIndexer({
    units: {
      fillIndex(turn) {
        begun.push(turn);
        coveredByTurn = position;
        return new Promise((resolve, reject) => {
          settle = {
            resolve: (isComplete, hasOlder) =>
              resolve({ upTo, isComplete, hasAllObjectives: true, hasOlder, isDamaged: false }),
            reject,
          };
        });
      },
      noteIndexDamage: async () => undefined,
    },
    onDamage: () => undefined,
    members: { all: () => teammates } as unknown as Members,
    onError: (error) => errors.push(error),
    stopwatch: () => Date.now(),
  });
  return {
    indexer,
    begun,
    errors,
    /** A message is committed. */
    wake: () => indexer.wake(++position),
    /** Ends a turn that indexed so many messages; all of them if it is complete. */
    async end(isComplete = true, hasOlder = false, indexed = 0) {
      upTo = isComplete ? coveredByTurn : upTo + indexed;
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
  const { wake, begun, end } = createTurns();
  wake();
  for (let turns = 0; turns < 3; turns++) {
    await vi.advanceTimersByTimeAsync(49);
    expect(begun).toHaveLength(turns);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toHaveLength(turns + 1);
    wake();
    await end();
  }
});

it.each([
  ['four times as long as a turn took while members post', true, 12],
  ['as long as a turn took when a burst is over', false, 3],
])('rests %s and something is left', async (_, isPosted, restMs) => {
  const { wake, begun, end } = createTurns();
  wake();
  await vi.advanceTimersByTimeAsync(50);
  if (isPosted) wake();
  await vi.advanceTimersByTimeAsync(3);
  await end(false);
  await vi.advanceTimersByTimeAsync(restMs - 1);
  expect(begun).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(2);
});

it('rests only as long as a turn took while a caller waits, and lets it go when what it waits for is indexed', async () => {
  const { wake, indexer, begun, end } = createTurns();
  wake();
  await vi.advanceTimersByTimeAsync(50);
  wake();
  await end();
  expect(begun).toHaveLength(1);
  let isReached = false;
  void indexer.caughtUp().then(() => {
    isReached = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toHaveLength(2);
  wake();
  await vi.advanceTimersByTimeAsync(3);
  await end(false);
  await vi.advanceTimersByTimeAsync(2);
  expect([begun.length, isReached]).toEqual([2, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([begun.length, isReached]).toEqual([3, false]);
  wake();
  await end();
  expect(isReached).toBe(true);
  expect(begun).toHaveLength(3);
});

it('lets callers go when a turn fails, and tries again with the next post', async () => {
  const { wake, indexer, begun, errors, fail, end } = createTurns();
  wake();
  const reached = indexer.caughtUp();
  await fail();
  await reached;
  expect(errors).toHaveLength(1);
  wake();
  await vi.advanceTimersByTimeAsync(50);
  expect(begun).toHaveLength(2);
  await end();
  await indexer.caughtUp();
});

it('sends only the names of members who joined or left since the turn before', async () => {
  const { wake, begun, end, join, leave } = createTurns();
  const sentNames = () => begun.map(({ joined, left }) => [joined, left]);
  const turn = async (conclude: () => Promise<void>) => {
    wake();
    await vi.advanceTimersByTimeAsync(50);
    await conclude();
  };
  await turn(end);
  await turn(end);
  join('ben');
  await turn(end);
  leave('ada');
  await turn(end);
  expect(sentNames()).toEqual([
    [['ada'], []],
    [[], []],
    [['ben'], []],
    [[], ['ada']],
  ]);
});

it('tells the store again who is present after a turn that failed, and who may have been', async () => {
  const { wake, begun, end, fail, join, leave } = createTurns();
  const turn = async (conclude: () => Promise<void>) => {
    wake();
    await vi.advanceTimersByTimeAsync(50);
    await conclude();
  };
  await turn(end);
  join('ben');
  await turn(fail);
  leave('ben');
  join('cy');
  await turn(end);
  await turn(end);
  expect(begun.slice(2).map(({ left, joined }) => [left, joined])).toEqual([
    [
      ['ada', 'ben'],
      ['ada', 'cy'],
    ],
    [[], []],
  ]);
});

it('goes on with older messages, for which no caller waits', async () => {
  const { wake, indexer, begun, end } = createTurns();
  wake();
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

it('lets a caller go when what was committed before it is indexed, however much follows', async () => {
  const { indexer, wake, begun, end } = createTurns();
  for (let n = 0; n < 3; n++) wake();
  let isReached = false;
  void indexer.caughtUp().then(() => {
    isReached = true;
  });
  for (let n = 0; n < 100; n++) wake();
  await vi.advanceTimersByTimeAsync(1);
  await end(false, false, 2);
  expect([begun.length, isReached]).toEqual([1, false]);
  await vi.advanceTimersByTimeAsync(1);
  await end(false, false, 2);
  expect(isReached).toBe(true);
});

it.each([
  ['does not wait', 'longer than it waits', 1000, true],
  ['waits', 'less', 150, false],
])('a caller %s if the index needs %s at the pace of its last turn', async (_, __, more, isReachedAtOnce) => {
  const { indexer, wake, end } = createTurns();
  for (let n = 0; n <= more; n++) wake();
  await vi.advanceTimersByTimeAsync(50);
  await vi.advanceTimersByTimeAsync(10);
  await end(false, false, 1);
  let isReached = false;
  void indexer.caughtUp().then(() => {
    isReached = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(isReached).toBe(isReachedAtOnce);
});
