import { expect, it } from 'vitest';
import type { Objective } from '#protocol/objective.ts';
import { bulkResult, bulkTitle, leftOutSentence, sortedOut } from './bulk.rules.ts';

const objective = (id: string, status: Objective['status']) => ({ id, status }) as Objective;
const all = [
  objective('a', 'active'),
  objective('b', 'blocked'),
  objective('c', 'done'),
  objective('d', 'cancelled'),
];

it('leaves out what has ended and what the member may not change, with the reason', () => {
  const { targets, leftOut } = sortedOut('cancel', all, ({ id }) => ({
    mayReassign: true,
    mayCancel: id !== 'b',
    mayWatch: true,
  }));
  expect(targets.map(({ id }) => id)).toEqual(['a']);
  expect(leftOut.map(({ objective: { id }, reason }) => [id, reason])).toEqual([
    ['b', expect.stringContaining('Only its originator')],
    ['c', 'It is done.'],
    ['d', 'It is canceled.'],
  ]);
});

it('counts in words', () => {
  expect(bulkTitle('watch', 1)).toBe('Add watchers to 1 objective');
  expect(bulkResult('cancel', 2, 2)).toBe('2 objectives were canceled');
  expect(bulkResult('reassign', 1, 3)).toBe('1 of 3 objectives was reassigned');
  expect(leftOutSentence(2, 2)).toContain('None');
  expect(leftOutSentence(1, 4)).toBe('1 of the 4 selected objectives is left out:');
});
