import { expect, it } from 'vitest';
import { fairTurn } from './fair-turn.rules.ts';

const call = (caller: string | null, n: number) => ({ caller, n });

it('takes one call of each member and all of the broker, and keeps the order of the rest', () => {
  const waiting = [
    call('flood', 1),
    call('flood', 2),
    call(null, 3),
    call('ben', 4),
    call('flood', 5),
    call(null, 6),
    call('ben', 7),
  ];
  const { calls, rest } = fairTurn(waiting);
  expect(calls.map(({ n }) => n)).toEqual([1, 3, 4, 6]);
  expect(rest.map(({ n }) => n)).toEqual([2, 5, 7]);
});
