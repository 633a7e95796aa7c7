import { expect, it } from 'vitest';
import type { Objective } from '#protocol/objective.ts';
import { startOfDay } from '../../ui/time.rules.ts';
import { completedSince } from './objective-groups.rules.ts';

const today = startOfDay(Date.UTC(2026, 5, 15, 12));

it('finds the objectives that were finished since midnight', () => {
  const all = [{ completedAt: null }, { completedAt: today }, { completedAt: today - 1 }] as Objective[];
  expect(completedSince(all, today)).toEqual([{ completedAt: today }]);
});
