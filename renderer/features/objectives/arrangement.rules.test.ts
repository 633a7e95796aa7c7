import { describe, expect, it } from 'vitest';
import type { Objective } from '#protocol/objective.ts';
import { groupingOf, isFiltered, isSameView, linesOf, sorted, statusOf } from './arrangement.rules.ts';

const objective = (id: string, over: Partial<Objective>) =>
  ({
    id,
    title: id,
    status: 'active',
    assignee: 'ben',
    originator: 'ada',
    updatedAt: 0,
    ...over,
  }) as Objective;
const all = [
  objective('c', { status: 'done', assignee: 'kim', updatedAt: 3 }),
  objective('a', { status: 'blocked', updatedAt: 1 }),
  objective('b', { updatedAt: 2 }),
];
const idsOf = (objectives: readonly Objective[]) => objectives.map(({ id }) => id).join('');

describe('the status of a view', () => {
  it.each([
    [{}, 'open'],
    [{ view: 'board' as const }, undefined],
    [{ view: 'board' as const, status: 'open' as const }, 'open'],
    [{ status: 'any' as const }, undefined],
    [{ status: 'done' as const }, 'done'],
  ])('of %j is %j', (view, status) => {
    expect(statusOf(view)).toBe(status);
  });

  it('makes a view a filtered one if it hides what is open', () => {
    expect([{}, { status: 'any' as const }, { status: 'open' as const }].map(isFiltered)).toEqual([
      false,
      false,
      false,
    ]);
    expect([{ status: 'done' as const }, { q: 'x' }, { originator: 'ada' }].map(isFiltered)).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('the groups of a view', () => {
  const open = all.filter(({ status }) => status !== 'done');
  it.each([
    ['by status, if active and blocked ones are open', {}, open, 'status'],
    ['none, if everything open has one status', {}, open.slice(1), undefined],
    ['none, if nothing is open', {}, [], undefined],
    ['none in a view of every status', { status: 'any' as const }, all, undefined],
    ['none, if none were chosen', { group: 'none' as const }, open, undefined],
    ['as they were chosen', { group: 'status' as const }, open.slice(1), 'status'],
  ])('are %s', (_, view, objectives, group) => {
    expect(groupingOf(view, objectives)).toBe(group);
  });
});

it('takes two addresses for the same view if they show the same', () => {
  expect(isSameView({}, { view: 'list', status: 'open', sort: 'created' })).toBe(true);
  expect(isSameView({ view: 'board' }, { view: 'board', status: 'any', group: 'status' })).toBe(true);
  expect(isSameView({}, { status: 'any' })).toBe(false);
  expect(isSameView({}, { group: 'status' })).toBe(true);
  expect(isSameView({}, { group: 'none' })).toBe(false);
  expect(isSameView({ status: 'done' }, { status: 'done', group: 'none' })).toBe(true);
});

it.each([
  [undefined, 'cab'],
  ['created' as const, 'cab'],
  ['updated' as const, 'cba'],
  ['title' as const, 'abc'],
])('sorts by %j', (sort, ids) => {
  expect(idsOf(sorted(all, sort))).toBe(ids);
});

it.each([
  [undefined, ['c', 'a', 'b']],
  ['status' as const, ['blocked 1', 'a', 'active 1', 'b', 'done 1', 'c']],
  ['assignee' as const, ['ben 2', 'a', 'b', 'kim 1', 'c']],
])('groups by %j', (by, lines) => {
  expect(
    linesOf(all, by).map((line) => (line.kind === 'group' ? `${line.name} ${line.count}` : line.key)),
  ).toEqual(lines);
});
