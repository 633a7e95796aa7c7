import { expect, it } from 'vitest';
import { ratiosOf } from './ratios.ts';

it('are of the figures within a turn, so that a slow turn does not count', () => {
  const turns = [
    { here: { push: 110 }, there: { push: 100 } },
    { here: { push: 11 }, there: { push: 10 } },
    { here: { push: 240 }, there: { push: 200 } },
  ];
  expect(ratiosOf({ push: 'higher' }, turns)).toEqual([['push', '1.10', '1.10 – 1.20', 'higher']]);
});

it('are left out where one side has no figure', () => {
  const turns = [
    { here: { start: 1 }, there: {} },
    { here: { start: 3 }, there: { start: 4 } },
  ];
  expect(ratiosOf({ start: 'lower', frames: 'higher' }, turns)).toEqual([
    ['start', '0.75', '0.75 – 0.75', 'lower'],
    ['frames', 'not measured', '', 'higher'],
  ]);
});
