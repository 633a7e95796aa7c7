/** Decides which finished objectives the home screen shows. */
import type { Objective } from '#protocol/objective.ts';

/** Returns the last midnight in this time zone. Both in epoch ms. */
export const startOfDay = (now: number): number => new Date(now).setHours(0, 0, 0, 0);

/** `since`: in epoch ms. */
export const completedSince = (objectives: readonly Objective[], since: number): Objective[] =>
  objectives.filter(({ completedAt }) => completedAt !== null && completedAt >= since);
