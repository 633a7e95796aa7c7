import { expect, it } from 'vitest';
import type { Objective } from '#protocol/objective.ts';
import { groupObjectives, startOfDay } from './objective-groups.rules.ts';

const today = startOfDay(Date.UTC(2026, 5, 15, 12));
const objective = (id: string, part: object) => ({ id, completedAt: null, ...part }) as Objective;

it('groups objectives by what they need from the reader', () => {
  const groups = groupObjectives(
    [
      objective('mine', { status: 'active', assignee: 'ada' }),
      objective('of ben', { status: 'active', assignee: 'ben' }),
      objective('blocked', { status: 'blocked', assignee: 'ada' }),
      objective('today', { status: 'done', assignee: 'ada', completedAt: today }),
      objective('before', { status: 'done', assignee: 'ada', completedAt: today - 1 }),
    ],
    'ada',
    today,
  );
  const ids = Object.fromEntries(
    Object.entries(groups).map(([name, list]) => [name, list.map(({ id }) => id)]),
  );
  expect(ids).toEqual({
    active: ['mine', 'of ben'],
    mine: ['mine'],
    blocked: ['blocked'],
    finished: ['today'],
  });
});
