/** Lists of objectives, read page by page, and read again after changes (specification/console.md#long-lists). */
import { type QueryClient, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError } from '#protocol/errors.ts';
import type { Objective } from '#protocol/objective.ts';
import { useBroker } from './broker.tsx';
import { keys } from './keys.ts';
import {
  type Answer,
  firstCursors,
  joinedPage,
  loadedObjectives,
  type ObjectiveListFilter,
  type ObjectivePage,
  type ObjectivePages,
  pageSize,
  type Source,
} from './objective-pages.rules.ts';
import { untilIdle } from './refresher.ts';

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
  { assignee, originator }: ObjectiveListFilter,
  cursors: NonNullable<ObjectivePage['next']>,
): Promise<ObjectivePage> {
  const sources = Object.entries(cursors) as [Source, string | null][];
  const ask = async ([source, before]: [Source, string | null]): Promise<Answer> => {
    const query = {
      assignee,
      originator,
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
  { status, assignee, originator }: ObjectiveListFilter,
  isEnabled = true,
): ObjectiveListState {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [isWaiting, setIsWaiting] = useState(false);
  const queryKey = keys.objectiveList({ status, assignee, originator });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey,
    enabled: isEnabled,
    initialPageParam: firstCursors({ status }),
    queryFn: ({ pageParam }) => readPage(client, { assignee, originator }, pageParam),
    getNextPageParam: ({ next }) => next,
  });
  /** After a reading that is under way, which would otherwise answer in its place. */
  async function loadMore(): Promise<void> {
    setIsWaiting(true);
    await untilIdle(() => cache.getQueryCache().findAll({ queryKey, exact: true }));
    setIsWaiting(false);
    await (isRefused(error) ? refetch() : fetchNextPage());
  }
  const objectives = useMemo(() => data && loadedObjectives(data.pages), [data]);
  return {
    objectives,
    hasMore: hasNextPage,
    isLoadingMore: isWaiting || isFetchingNextPage,
    loadMore: () => void loadMore(),
    error,
    retry: () => void refetch(),
  };
}

/** Returns an objective that some list has loaded. */
export function loadedObjective(cache: QueryClient, id: string): Objective | undefined {
  for (const [, held] of cache.getQueriesData<ObjectivePages>({ queryKey: keys.objectives }))
    for (const { objectives } of held?.pages ?? []) {
      const found = objectives.find((one) => one.id === id);
      if (found !== undefined) return found;
    }
  return undefined;
}
