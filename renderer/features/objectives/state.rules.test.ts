import { expect, it } from 'vitest';
import type { Objective, ObjectiveEvent } from '#protocol/objective.ts';
import { reasonOf, stateOf } from './state.rules.ts';

const objective = (over: Partial<Objective>) =>
  ({
    assignee: 'kim',
    createdAt: 1,
    updatedAt: 9,
    completedAt: null,
    blockReason: null,
    result: null,
    ...over,
  }) as Objective;
const event = (ts: number, actor: string, kind: ObjectiveEvent['kind'], payload: object = {}) =>
  ({ ts, actor, kind, payload }) as ObjectiveEvent;
const created = event(1, 'ada', 'assigned');

it.each<[string, Partial<Objective>, ObjectiveEvent[], object]>([
  [
    'active since the last assignment',
    { status: 'active' },
    [created, event(2, 'ada', 'reassigned'), event(3, 'kim', 'blocked'), event(4, 'ben', 'unblocked')],
    { words: 'Active, assigned to kim', since: 2, text: null },
  ],
  [
    'blocked by the last one who blocked it',
    { status: 'blocked', blockReason: 'fog' },
    [created, event(2, 'kim', 'blocked'), event(3, 'ada', 'blocked')],
    { words: 'Blocked by ada', since: 3, text: 'fog' },
  ],
  [
    'done with a result',
    { status: 'done', completedAt: 5, result: '**drawn**' },
    [created, event(5, 'kim', 'completed')],
    { words: 'Done by kim', since: 5, text: '**drawn**' },
  ],
  [
    'canceled with the reason of its event',
    { status: 'cancelled', completedAt: 5 },
    [created, event(5, 'ada', 'cancelled', { reason: 'No reef' })],
    { words: 'Canceled by ada', since: 5, text: 'No reef' },
  ],
  [
    'blocked without a known event',
    { status: 'blocked', blockReason: 'fog' },
    [],
    { words: 'Blocked', since: 9, text: 'fog' },
  ],
])('says that it is %s', (_, over, events, state) => {
  expect(stateOf(objective(over), events)).toEqual(state);
});

it('has the reason only of what is blocked now', () => {
  expect(reasonOf({ status: 'blocked', blockReason: 'No fuel' })).toBe('No fuel');
  expect(reasonOf({ status: 'cancelled', blockReason: 'No fuel' })).toBe(null);
});
