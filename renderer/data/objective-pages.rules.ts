/** Loaded pages of objectives: how lists by status become one, and what a changed objective changes. Pure. */
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';

/** The fields that the broker filters by. `open`: active and blocked ones. */
export interface ObjectiveListFilter {
  status?: ObjectiveStatus | 'open' | undefined;
  assignee?: string | undefined;
  originator?: string | undefined;
}

/** The broker lists one status or all of them, so a page may join two lists. */
export type Source = ObjectiveStatus | 'any';

/** The id before which each list goes on; null for its beginning. A list that has ended is left out. */
export type Cursors = Partial<Record<Source, string | null>>;

/** Newest first. `next` is null at the end. */
export interface ObjectivePage {
  objectives: readonly Objective[];
  next: Cursors | null;
}

/** As useInfiniteQuery keeps them. */
export interface ObjectivePages {
  pages: readonly ObjectivePage[];
  pageParams: unknown[];
}

export const pageSize = 100;

/** Returns where the lists of a filter begin. */
export function firstCursors({ status }: ObjectiveListFilter): Cursors {
  if (status === 'open') return { active: null, blocked: null };
  return { [status ?? 'any']: null };
}

export const hasStatus = (status: ObjectiveStatus, wanted: ObjectiveListFilter['status']): boolean =>
  wanted === undefined ||
  (wanted === 'open' ? status === 'active' || status === 'blocked' : status === wanted);

export interface Answer {
  source: Source;
  before: string | null;
  /** At most `pageSize`, newest first. */
  objectives: readonly Objective[];
}

/** Returns the newest `pageSize` objectives of the answers, and where each list goes on. */
export function joinedPage(answers: readonly Answer[]): ObjectivePage {
  const lists = answers.map((answer) => ({ ...answer, taken: 0 }));
  const objectives: Objective[] = [];
  while (objectives.length < pageSize) {
    let newest: (typeof lists)[number] | undefined;
    for (const list of lists) {
      const candidate = list.objectives[list.taken];
      const best = newest?.objectives[newest.taken];
      if (candidate !== undefined && (best === undefined || candidate.createdAt > best.createdAt))
        newest = list;
    }
    const taken = newest?.objectives[newest.taken];
    if (newest === undefined || taken === undefined) break;
    objectives.push(taken);
    newest.taken++;
  }
  const unfinished = lists.filter(
    (list) => list.taken < list.objectives.length || list.objectives.length === pageSize,
  );
  const next = Object.fromEntries(
    unfinished.map(({ source, before, objectives: all, taken }) => [source, all[taken - 1]?.id ?? before]),
  );
  return { objectives, next: unfinished.length === 0 ? null : next };
}

/** Returns what is loaded, newest first, each once: one that a later page has again has changed in between. */
export function loadedObjectives(pages: readonly ObjectivePage[]): Objective[] {
  const seen = new Set<string>();
  return pages.flatMap(({ objectives }) => objectives).filter(({ id }) => !seen.has(id) && seen.add(id));
}
