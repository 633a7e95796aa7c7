/** Decides which finished objectives the home screen shows. */
import type { Objective } from '#protocol/objective.ts';

/** `since`: in epoch ms. */
export const completedSince = (objectives: readonly Objective[], since: number): Objective[] =>
  objectives.filter(({ completedAt }) => completedAt !== null && completedAt >= since);
