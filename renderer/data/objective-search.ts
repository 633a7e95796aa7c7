/** Reads a view of the objectives from an address, or from what the device keeps. */
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import { oneOf, searchParams, word } from '../search-params.ts';
import type { ObjectiveView } from './objective-view.rules.ts';

export const readObjectiveView: (raw: Record<string, unknown>) => ObjectiveView = searchParams({
  view: oneOf('list', 'board'),
  status: oneOf('open', 'any', ...objectiveStatuses),
  assignee: word,
  originator: word,
  q: word,
  group: oneOf('none', 'status', 'assignee', 'originator'),
  sort: oneOf('created', 'updated', 'title'),
});
