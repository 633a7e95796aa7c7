/** Decides which objectives a filter shows. Pure. */
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';

export interface ObjectiveFilter {
  status?: ObjectiveStatus | 'open' | undefined;
  assignee?: string | undefined;
  q?: string | undefined;
}

export function filterObjectives(
  objectives: readonly Objective[],
  { status, assignee, q }: ObjectiveFilter,
): Objective[] {
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return objectives.filter((objective) => {
    const isWanted =
      status === undefined ||
      (status === 'open'
        ? objective.status === 'active' || objective.status === 'blocked'
        : objective.status === status);
    const text = `${objective.title} ${objective.outcome} ${objective.id}`.toLowerCase();
    return (
      isWanted &&
      (assignee === undefined || objective.assignee === assignee) &&
      words.every((word) => text.includes(word))
    );
  });
}
