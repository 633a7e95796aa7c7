/** Pages that join lists by status. */
import { describe, expect, it } from 'vitest';
import type { Objective } from '#protocol/objective.ts';
import {
  type Answer,
  firstCursors,
  joinedPage,
  loadedObjectives,
  pageSize,
} from './objective-pages.rules.ts';

const objective = (n: number) =>
  ({ id: `o${n}`, createdAt: n, updatedAt: n, status: 'active', assignee: 'ada' }) as Objective;
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

it('shows an objective once that two pages have, because it changed between their answers', () => {
  const page = (...numbers: number[]) => ({ objectives: numbers.map((n) => objective(n)), next: null });
  expect(loadedObjectives([page(5, 3), page(3, 1)]).map(({ id }) => id)).toEqual(['o5', 'o3', 'o1']);
});
