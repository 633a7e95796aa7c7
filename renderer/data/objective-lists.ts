/** Lists of objectives, read page by page, and kept fresh one objective at a time (specification/console.md#long-lists). */
import { type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError } from '#protocol/errors.ts';
import type { Objective } from '#protocol/objective.ts';
import { useBroker } from './broker.tsx';
import { keys } from './keys.ts';
import { apply, refetch } from './make-change.ts';
import {
  type Answer,
  firstCursors,
  isOverfull,
  joinedPage,
  loadedObjectives,
  type ObjectiveListFilter,
  type ObjectivePage,
  type ObjectivePages,
  pageSize,
  type Source,
  withObjective,
  withoutObjective,
} from './objective-pages.rules.ts';

export interface ObjectiveListState {
  /** Newest first; undefined until the first page is loaded. */
  objectives: readonly Objective[] | undefined;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
  error: Error | null;
  /** Reads the loaded pages again. */
  retry(): void;
}

/** Retention may have removed the objective before which the next page begins. */
const isRefused = (error: unknown): boolean => error instanceof BrokerError && error.status === 400;

async function readPage(
  client: BrokerClient,
  { assignee }: ObjectiveListFilter,
  cursors: NonNullable<ObjectivePage['next']>,
): Promise<ObjectivePage> {
  const sources = Object.entries(cursors) as [Source, string | null][];
  const ask = async ([source, before]: [Source, string | null]): Promise<Answer> => {
    const query = {
      assignee,
      status: source === 'any' ? undefined : source,
      limit: String(pageSize),
      before: before ?? undefined,
    };
    return { source, before, objectives: (await client.call('objectives', { query })).objectives };
  };
  return joinedPage(await Promise.all(sources.map(ask)));
}

/** Returns the newest objectives that the broker lists for the filter, and loads older ones. */
export function useObjectiveList(
  { status, assignee }: ObjectiveListFilter,
  isEnabled = true,
): ObjectiveListState {
  const { client } = useBroker();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: keys.objectiveList({ status, assignee }),
    enabled: isEnabled,
    initialPageParam: firstCursors({ status }),
    queryFn: ({ pageParam }) => readPage(client, { assignee }, pageParam),
    getNextPageParam: ({ next }) => next,
  });
  const objectives = useMemo(() => data && loadedObjectives(data.pages), [data]);
  return {
    objectives,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void (isRefused(error) ? refetch() : fetchNextPage({ cancelRefetch: false })),
    error,
    retry: () => void refetch(),
  };
}

const cachedLists = (cache: QueryClient) => cache.getQueryCache().findAll({ queryKey: keys.objectives });

/** Returns an objective that some list has loaded. */
export function loadedObjective(cache: QueryClient, id: string): Objective | undefined {
  for (const [, held] of cache.getQueriesData<ObjectivePages>({ queryKey: keys.objectives }))
    for (const { objectives } of held?.pages ?? []) {
      const found = objectives.find((one) => one.id === id);
      if (found !== undefined) return found;
    }
  return undefined;
}

function changeLists(
  cache: QueryClient,
  change: (held: ObjectivePages, filter: ObjectiveListFilter) => ObjectivePages,
): void {
  for (const { queryKey, state } of cachedLists(cache)) {
    const filter = queryKey.at(-1) as ObjectiveListFilter;
    apply(cache, queryKey, (held: ObjectivePages) => change(held, filter));
    const held = cache.getQueryData<ObjectivePages>(queryKey);
    if (held !== undefined && isOverfull(held) && state.fetchStatus === 'idle') refetch(cache, queryKey);
  }
}

/** Puts an objective as the broker answered it into every loaded list that it belongs to. */
export const putObjective = (cache: QueryClient, objective: Objective): void =>
  changeLists(cache, (held, filter) => withObjective(held, objective, filter));

/** If more objectives than this changed at the same time, the lists are read again instead. */
const maxSingly = 20;

/**
 * Returns a function that reads a changed objective and updates the loaded lists. Changes during a read are read
 * after it, each objective once.
 */
export function createObjectiveRefresher(cache: QueryClient, client: BrokerClient): (id: string) => void {
  let changed = new Set<string>();
  let isReading = false;
  async function readOne(id: string): Promise<void> {
    try {
      putObjective(cache, (await client.call('objective', { params: { id } })).objective);
    } catch (error) {
      if (!(error instanceof BrokerError && error.status === 404)) throw error;
      changeLists(cache, (held) => withoutObjective(held, id));
    }
  }
  async function readChanged(): Promise<void> {
    isReading = true;
    while (changed.size > 0) {
      const ids = [...changed];
      changed = new Set();
      if (cachedLists(cache).length === 0) continue;
      const isRead =
        ids.length <= maxSingly &&
        (await Promise.all(ids.map(readOne)).then(
          () => true,
          () => false,
        ));
      if (!isRead) await cache.invalidateQueries({ queryKey: keys.objectives });
    }
    isReading = false;
  }
  return (id) => {
    // One more than `maxSingly` already means all.
    if (changed.size <= maxSingly) changed.add(id);
    if (!isReading) void readChanged();
  };
}
