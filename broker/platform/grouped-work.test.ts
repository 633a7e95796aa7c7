import { expect, it } from 'vitest';
import { createGroupedWork } from './grouped-work.ts';

it('does what waits in one group, in order, and gives each its own result', async () => {
  const groups: number[][] = [];
  const add = createGroupedWork(3, async (items: readonly number[]) => {
    groups.push([...items]);
    return items.map((item) => item * 10);
  });
  expect(await Promise.all([1, 2, 3, 4, 5].map(add))).toEqual([10, 20, 30, 40, 50]);
  expect(groups).toEqual([[1], [2, 3, 4], [5]]);
});

it('rejects the items of a group that fails, and goes on with the next', async () => {
  const add = createGroupedWork(2, async (items: readonly string[]) => {
    if (items.includes('bad')) throw new Error('no');
    return items;
  });
  const outcomes = await Promise.allSettled(['a', 'bad', 'with it', 'b'].map(add));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(await add('c')).toBe('c');
});
