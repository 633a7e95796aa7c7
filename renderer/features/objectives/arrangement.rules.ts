/** The arrangement of objectives: the status that a view means, groups, and order. Pure. */
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';
import type { ObjectiveListFilter } from '../../data/objective-pages.rules.ts';
import type { ObjectiveView } from '../../data/objective-view.rules.ts';

export type Grouping = Exclude<NonNullable<ObjectiveView['group']>, 'none'>;
export type Sorting = NonNullable<ObjectiveView['sort']>;

/** Returns the status that the view shows; undefined for every status. Without one, a list shows what is open. */
export function statusOf({ view, status }: ObjectiveView): ObjectiveListFilter['status'] {
  if (status === 'any') return undefined;
  return status ?? (view === 'board' ? undefined : 'open');
}

/** Returns the choice of groups that the view stands for without one. */
export const usualGroup = (view: ObjectiveView): 'status' | 'none' =>
  view.view !== 'board' && statusOf(view) === 'open' ? 'status' : 'none';

/** Returns the groups of the view; undefined for none, also if all that is open has one status and nothing else was chosen. */
export function groupingOf(view: ObjectiveView, objectives: readonly Objective[]): Grouping | undefined {
  const { group = usualGroup(view) } = view;
  if (group === 'none') return undefined;
  if (view.group !== undefined) return group;
  return objectives.some(({ status }) => status !== objectives[0]?.status) ? group : undefined;
}

/** Whether two views show the same objectives in the same way. */
export const isSameView = (a: ObjectiveView, b: ObjectiveView): boolean => formOf(a) === formOf(b);

function formOf(search: ObjectiveView): string {
  const { view = 'list', assignee, originator, q, group, sort = 'created' } = search;
  // The board has its own columns.
  const shownGroup = view === 'board' ? undefined : (group ?? usualGroup(search));
  return JSON.stringify([view, statusOf(search) ?? 'any', assignee, originator, q, shownGroup, sort]);
}

/** Whether the view leaves out objectives that the default view shows, or would show if they were open. */
export const isFiltered = ({ q, assignee, originator, status = 'open' }: ObjectiveView): boolean =>
  q !== undefined ||
  assignee !== undefined ||
  originator !== undefined ||
  (status !== 'open' && status !== 'any');

/** Returns the objectives in this order. The broker lists them by `created`, newest first. */
export function sorted(objectives: readonly Objective[], sort: Sorting = 'created'): readonly Objective[] {
  if (sort === 'updated') return [...objectives].sort((a, b) => b.updatedAt - a.updatedAt);
  if (sort === 'title') return [...objectives].sort((a, b) => a.title.localeCompare(b.title));
  return objectives;
}

export interface Group {
  name: string;
  objectives: readonly Objective[];
}

/** The objectives that wait for somebody come first. */
export const statusOrder: readonly ObjectiveStatus[] = ['blocked', 'active', 'done', 'cancelled'];

/** Returns the groups that have an objective: statuses by their urgency, and members by name. */
export function grouped(objectives: readonly Objective[], by: Grouping): Group[] {
  const byName = new Map<string, Objective[]>();
  for (const one of objectives) {
    const held = byName.get(one[by]);
    if (held === undefined) byName.set(one[by], [one]);
    else held.push(one);
  }
  const order: readonly string[] =
    by === 'status' ? statusOrder : [...byName.keys()].sort((a, b) => a.localeCompare(b));
  return order.flatMap((name) => {
    const found = byName.get(name);
    return found === undefined ? [] : [{ name, objectives: found }];
  });
}

/** A line of the list: the heading of a group, or an objective. */
export type Line =
  | { kind: 'group'; key: string; name: string; count: number }
  | { kind: 'objective'; key: string; objective: Objective };

/** Returns the lines of a list, from objectives that are in their order already. */
export function linesOf(objectives: readonly Objective[], by: Grouping | undefined): Line[] {
  const line = (objective: Objective): Line => ({ kind: 'objective', key: objective.id, objective });
  if (by === undefined) return objectives.map(line);
  return grouped(objectives, by).flatMap(({ name, objectives: held }): Line[] => [
    { kind: 'group', key: `group ${name}`, name, count: held.length },
    ...held.map(line),
  ]);
}
