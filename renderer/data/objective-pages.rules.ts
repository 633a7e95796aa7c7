/** Loaded pages of objectives: how lists by status become one, and what a changed objective changes. Pure. */
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';

/** What the broker filters by. `open`: active and blocked ones. */
export interface ObjectiveListFilter {
  status?: ObjectiveStatus | 'open' | undefined;
  assignee?: string | undefined;
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

/** Where the lists of a filter begin. */
export function firstCursors({ status }: ObjectiveListFilter): Cursors {
  if (status === 'open') return { active: null, blocked: null };
  return { [status ?? 'any']: null };
}

export const hasStatus = (status: ObjectiveStatus, wanted: ObjectiveListFilter['status']): boolean =>
  wanted === undefined ||
  (wanted === 'open' ? status === 'active' || status === 'blocked' : status === wanted);

const isListed = ({ status, assignee }: Objective, filter: ObjectiveListFilter): boolean =>
  hasStatus(status, filter.status) && (filter.assignee === undefined || filter.assignee === assignee);

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

/** Live objectives beyond this number make the first page too long: then the list is read again. */
const maxFirstPage = 2 * pageSize;

export const isOverfull = ({ pages }: ObjectivePages): boolean =>
  (pages[0]?.objectives.length ?? 0) > maxFirstPage;

const mapPages = (
  held: ObjectivePages,
  change: (objectives: readonly Objective[]) => readonly Objective[],
): ObjectivePages => ({
  ...held,
  pages: held.pages.map((page) => ({ ...page, objectives: change(page.objectives) })),
});

export const withoutObjective = (held: ObjectivePages, id: string): ObjectivePages =>
  mapPages(held, (objectives) => objectives.filter((one) => one.id !== id));

/**
 * Puts an objective into the pages of a filter, replaces it, or removes it. One that is older than everything loaded
 * comes with its page. An older state than the present one changes nothing.
 */
export function withObjective(
  held: ObjectivePages,
  objective: Objective,
  filter: ObjectiveListFilter,
): ObjectivePages {
  const known = held.pages.flatMap(({ objectives }) => objectives).find(({ id }) => id === objective.id);
  if (known !== undefined && known.updatedAt > objective.updatedAt) return held;
  if (!isListed(objective, filter)) return known === undefined ? held : withoutObjective(held, objective.id);
  if (known !== undefined)
    return mapPages(held, (objectives) => objectives.map((one) => (one.id === known.id ? objective : one)));
  const last = held.pages.length - 1;
  const found = held.pages.findIndex(({ objectives }) =>
    objectives.some(({ createdAt }) => createdAt <= objective.createdAt),
  );
  const at = found < 0 ? last : found;
  const page = held.pages[at];
  if (page === undefined || (found < 0 && page.next !== null)) return held;
  const place = page.objectives.findIndex(({ createdAt }) => createdAt <= objective.createdAt);
  const objectives = page.objectives.toSpliced(place < 0 ? page.objectives.length : place, 0, objective);
  return { ...held, pages: held.pages.with(at, { ...page, objectives }) };
}

/** Returns what is loaded, newest first, each once: an objective that arrived live may come with its page, too. */
export function loadedObjectives(pages: readonly ObjectivePage[]): Objective[] {
  const seen = new Set<string>();
  return pages.flatMap(({ objectives }) => objectives).filter(({ id }) => !seen.has(id) && seen.add(id));
}
