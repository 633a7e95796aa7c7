/** A view of the objectives: a filter, and how what is found is arranged. */
import type { ObjectiveStatus } from '#protocol/objective.ts';

/** Everything is absent in the view that the screen opens on. */
export interface ObjectiveView {
  view?: 'list' | 'board' | undefined;
  /** `open`: active and blocked ones. Without a status, a list shows what is open, and a board everything. */
  status?: ObjectiveStatus | 'open' | 'any' | undefined;
  assignee?: string | undefined;
  originator?: string | undefined;
  /** Words that the objective contains. */
  q?: string | undefined;
  /** Without it, a list of what is open has groups by status if it has active and blocked ones. */
  group?: 'none' | 'status' | 'assignee' | 'originator' | undefined;
  /** `created` if it is absent. */
  sort?: 'created' | 'updated' | 'title' | undefined;
}
