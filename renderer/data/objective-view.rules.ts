/** A view of the objectives: a filter, and how what is found is arranged. */
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import { oneOf, searchParams, word } from '../search-params.rules.ts';

/**
 * Reads a view from an address, or from what the device keeps. Everything is absent in the view that the screen
 * opens on.
 */
export const readObjectiveView = searchParams({
  view: oneOf('list', 'board'),
  /** `open`: active and blocked ones. Without a status, a list shows what is open, and a board everything. */
  status: oneOf('open', 'any', ...objectiveStatuses),
  assignee: word,
  originator: word,
  /** Words that the objective contains. */
  q: word,
  /** Without it, a list of what is open has groups by status if it has active and blocked ones. */
  group: oneOf('none', 'status', 'assignee', 'originator'),
  /** `created` if it is absent. */
  sort: oneOf('created', 'updated', 'title'),
});

export type ObjectiveView = ReturnType<typeof readObjectiveView>;
