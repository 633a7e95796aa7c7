/** Decides which objectives the home screen shows in which group. */
import type { Objective } from '#protocol/objective.ts';

/** Returns the last midnight in this time zone. Both in epoch ms. */
export const startOfDay = (now: number): number => new Date(now).setHours(0, 0, 0, 0);

/** `mine`: active objectives that are assigned to `self`. `finished`: since `today`, in epoch ms. */
export function groupObjectives(objectives: readonly Objective[], self: string, today: number) {
  const active = objectives.filter(({ status }) => status === 'active');
  return {
    active,
    mine: active.filter(({ assignee }) => assignee === self),
    blocked: objectives.filter(({ status }) => status === 'blocked'),
    finished: objectives.filter(({ completedAt }) => completedAt !== null && completedAt >= today),
  };
}
