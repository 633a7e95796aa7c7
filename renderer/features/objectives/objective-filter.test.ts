import { expect, it } from 'vitest';
import type { Objective } from '#protocol/objective.ts';
import { withWords } from './objective-filter.ts';

const objective = (id: string, title: string) => ({ id, title, outcome: 'A map' }) as Objective;
const all = [
  objective('o1', 'Draw the coast'),
  objective('o2', 'Draw the hills'),
  objective('o3', 'Name it'),
];

it.each<[string | undefined, string[]]>([
  [undefined, ['o1', 'o2', 'o3']],
  ['DRAW hills', ['o2']],
  ['map', ['o1', 'o2', 'o3']],
  ['o3', ['o3']],
  ['draw o3', []],
])('for the words %j, shows %j', (q, ids) => {
  expect(withWords(all, q).map(({ id }) => id)).toEqual(ids);
});
