/** Pages that join lists by status, and what a changed objective changes in loaded pages. */
import { describe, expect, it } from 'vitest';
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';
import {
  type Answer,
  firstCursors,
  isOverfull,
  joinedPage,
  loadedObjectives,
  type ObjectivePages,
  pageSize,
  withObjective,
  withoutObjective,
} from './objective-pages.rules.ts';

const objective = (n: number, part: Partial<Objective> = {}) =>
  ({ id: `o${n}`, createdAt: n, updatedAt: n, status: 'active', assignee: 'ada', ...part }) as Objective;
/** Pages, newest page first; `next` of the last one says whether there are more. */
const held = (pages: number[][], hasMore = false): ObjectivePages => ({
  pages: pages.map((page, at) => ({
    objectives: page.map((n) => objective(n)),
    next: at < pages.length - 1 || hasMore ? { any: 'o0' } : null,
  })),
  pageParams: pages.map(() => null),
});
const ids = ({ pages }: ObjectivePages) => pages.map((page) => page.objectives.map(({ id }) => id));
/** `count` objectives from `newest` down, every `step`-th. */
const answer = (source: Answer['source'], newest: number, step: number, count = pageSize): Answer => ({
  source,
  before: null,
  objectives: Array.from({ length: count }, (_, n) => objective(newest - n * step)),
});

describe('a page of open objectives', () => {
  it('joins active and blocked ones, newest first, and goes on behind the last one of each', () => {
    const page = joinedPage([answer('active', 1000, 2), answer('blocked', 999, 2)]);
    expect(page.objectives.map(({ createdAt }) => createdAt)).toEqual(
      Array.from({ length: pageSize }, (_, n) => 1000 - n),
    );
    expect(page.next).toEqual({ active: 'o902', blocked: 'o901' });
  });

  it('asks again for a list of which nothing fitted, and not for one that has ended', () => {
    const page = joinedPage([answer('active', 1000, 1), answer('blocked', 5, 1, 2)]);
    expect(page.next).toEqual({ active: 'o901', blocked: null });
    const last = joinedPage([{ ...answer('active', 9, 1, 3), before: 'o10' }, answer('blocked', 5, 1, 2)]);
    expect(last.next).toBeNull();
    expect(last.objectives).toHaveLength(5);
  });

  it('begins with both lists, and one of every status with a single list', () => {
    expect(firstCursors({ status: 'open' })).toEqual({ active: null, blocked: null });
    expect(firstCursors({})).toEqual({ any: null });
    expect(firstCursors({ status: 'done' })).toEqual({ done: null });
  });
});

describe('a changed objective', () => {
  it('that is new comes first; one in between gets its place', () => {
    expect(ids(withObjective(held([[5, 3], [1]]), objective(6), {}))).toEqual([['o6', 'o5', 'o3'], ['o1']]);
    expect(ids(withObjective(held([[5, 3], [1]]), objective(2), {}))).toEqual([
      ['o5', 'o3'],
      ['o2', 'o1'],
    ]);
  });

  it('that is older than everything loaded comes with its page, or is the last one if there is none', () => {
    const partly = held([[5, 3]], true);
    expect(withObjective(partly, objective(2), {})).toBe(partly);
    expect(ids(withObjective(held([[5, 3]]), objective(2), {}))).toEqual([['o5', 'o3', 'o2']]);
    expect(ids(withObjective(held([[]]), objective(2), {}))).toEqual([['o2']]);
  });

  it('replaces its earlier state, and an earlier state does not replace a later one', () => {
    const done = objective(3, { status: 'done', updatedAt: 9 });
    const after = withObjective(held([[5, 3]]), done, {});
    expect(after.pages[0]?.objectives[1]).toBe(done);
    expect(withObjective(after, objective(3), {})).toBe(after);
  });

  it.each<[ObjectiveStatus, string, boolean]>([
    ['blocked', 'ada', true],
    ['done', 'ada', false],
    ['active', 'ben', false],
  ])('that is %s and assigned to %s stays in the list of open ones of ada: %j', (status, assignee, stays) => {
    const changed = objective(3, { status, assignee, updatedAt: 9 });
    const after = withObjective(held([[5, 3]]), changed, { status: 'open', assignee: 'ada' });
    expect(ids(after)).toEqual([stays ? ['o5', 'o3'] : ['o5']]);
  });

  it('is removed from every page, and shown once although it came with a page as well', () => {
    const twice = held([
      [5, 3],
      [3, 1],
    ]);
    expect(ids(withoutObjective(twice, 'o3'))).toEqual([['o5'], ['o1']]);
    expect(loadedObjectives(twice.pages).map(({ id }) => id)).toEqual(['o5', 'o3', 'o1']);
  });

  it('makes the first page too long after twice its size', () => {
    let pages = held([[1]]);
    for (let n = 2; n <= 2 * pageSize; n++) pages = withObjective(pages, objective(n), {});
    expect(isOverfull(pages)).toBe(false);
    expect(isOverfull(withObjective(pages, objective(1000), {}))).toBe(true);
  });
});
