import { expect, it } from 'vitest';
import { createCallCosts, fairTurn } from './fair-turn.rules.ts';

const call = (caller: string | null, n: number, ms = 1) => ({ caller, n, ms });
const costOf = ({ ms }: { ms: number }) => ms;

it('takes one call of each member and all of the broker if all take as long, and keeps the order of the rest', () => {
  const waiting = [
    call('flood', 1),
    call('flood', 2),
    call(null, 3),
    call('ben', 4),
    call('flood', 5),
    call(null, 6),
    call('ben', 7),
  ];
  const { calls, rest } = fairTurn(waiting, costOf);
  expect(calls.map(({ n }) => n)).toEqual([1, 3, 4, 6]);
  expect(rest.map(({ n }) => n)).toEqual([2, 5, 7]);
});

it('takes as many short calls of a member as take the time of the long call of another one, and short calls first', () => {
  const waiting = [
    call('flood', 1, 4),
    call('flood', 2, 4),
    ...[3, 4, 5, 6, 7].map((n) => call('ben', n, 0.9)),
    call('cleo', 8, 2),
    call('cleo', 9, 3),
    call('cleo', 10, 1),
  ];
  const { calls, rest } = fairTurn(waiting, costOf);
  expect(calls.map(({ n }) => n)).toEqual([3, 4, 5, 6, 8, 1]);
  expect(rest.map(({ n }) => n)).toEqual([2, 7, 9, 10]);
});

it('takes at most four calls of a member, however short it expects them to be', () => {
  const waiting = [call('ben', 1, 1), ...[2, 3, 4, 5, 6, 7].map((n) => call('flood', n, 0))];
  const { calls, rest } = fairTurn(waiting, costOf);
  expect(calls.map(({ n }) => n)).toEqual([2, 3, 4, 5, 1]);
  expect(rest.map(({ n }) => n)).toEqual([6, 7]);
});

it('expects of a unit what its calls took lately', () => {
  const costs = createCallCosts();
  expect(costs.of('history')).toBe(1);
  costs.note('history', 10);
  expect(costs.of('history')).toBe(10);
  for (let n = 0; n < 60; n++) costs.note('history', 0.2);
  expect(costs.of('history')).toBeCloseTo(0.2, 1);
  expect(costs.of('unread')).toBe(1);
});
