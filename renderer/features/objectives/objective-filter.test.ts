import { expect, it } from 'vitest';
import type { Objective } from '#protocol/objective.ts';
import { filterObjectives, type ObjectiveFilter } from './objective-filter.ts';

const objective = (id: string, status: string, assignee: string, title: string) =>
  ({ id, status, assignee, title, outcome: 'A map' }) as Objective;
const all = [
  objective('o1', 'active', 'ada', 'Draw the coast'),
  objective('o2', 'blocked', 'ben', 'Draw the hills'),
  objective('o3', 'done', 'ben', 'Name the towns'),
];

it.each<[ObjectiveFilter, string[]]>([
  [{}, ['o1', 'o2', 'o3']],
  [{ status: 'open' }, ['o1', 'o2']],
  [{ status: 'done' }, ['o3']],
  [{ assignee: 'ben' }, ['o2', 'o3']],
  [{ q: 'DRAW hills' }, ['o2']],
  [{ q: 'map' }, ['o1', 'o2', 'o3']],
  [{ q: 'o3' }, ['o3']],
  [{ q: 'draw', assignee: 'ben', status: 'done' }, []],
])('for %j, shows %j', (filter, ids) => {
  expect(filterObjectives(all, filter).map(({ id }) => id)).toEqual(ids);
});
