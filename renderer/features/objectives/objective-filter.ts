/** Decides which loaded objectives a text shows. Status and assignee are the broker's to filter. Pure. */
import type { Objective } from '#protocol/objective.ts';
import type { ObjectiveListFilter } from '../../data/objective-pages.rules.ts';

export interface ObjectiveFilter extends ObjectiveListFilter {
  q?: string | undefined;
}

/** Returns the objectives that contain every word of `q` in their title, outcome, or id. */
export function withWords(objectives: readonly Objective[], q = ''): readonly Objective[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return objectives;
  return objectives.filter(({ title, outcome, id }) => {
    const text = `${title} ${outcome} ${id}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
