/** Lists of objectives, read page by page, and read again after changes (specification/console.md#long-lists). */
import { type Query, type QueryClient, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
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

/** Resolves when nothing is being read for the queries. */
async function untilIdle(queries: () => readonly Query[]): Promise<void> {
  for (let busy = findBusy(queries()); busy !== undefined; busy = findBusy(queries()))
    await busy.promise?.catch(() => undefined);
}
const findBusy = (queries: readonly Query[]): Query | undefined =>
  queries.find(({ state, promise }) => state.fetchStatus === 'fetching' && promise !== undefined);

export interface RefresherTimes {
  /** How long the lists rest between two readings while objectives change. */
  restMs: number;
  /** How long they rest after a reading that failed. */
  retryMs: number;
  /** A reading that takes longer is given up for a new one. */
  patienceMs: number;
}

export interface ObjectiveRefresher {
  /** Something about some objective has changed. */
  refresh(): void;
  stop(): void;
}

/**
 * Reads the loaded pages of the visible lists again after changes, once for all changes during a reading and the rest after it. Where an
 * objective belongs in a part of a list is the broker's to say: it may have left the page before, or come into the next one. Hidden
 * lists begin again when they are shown.
 */
export function createObjectiveRefresher(
  cache: QueryClient,
  { restMs, retryMs, patienceMs }: RefresherTimes = { restMs: 1000, retryMs: 5000, patienceMs: 15_000 },
): ObjectiveRefresher {
  const lists = { queryKey: keys.objectives };
  const shown = () => cache.getQueryCache().findAll({ ...lists, type: 'active' });
  let isStale = false;
  let isRunning = false;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let endPause: (() => void) | undefined;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      endPause = resolve;
      timer = setTimeout(resolve, ms);
    });
  async function patiently(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, pause(patienceMs)]);
    clearTimeout(timer);
  }

  async function read(): Promise<void> {
    cache.removeQueries({ ...lists, type: 'inactive' });
    await patiently(untilIdle(shown));
    await patiently(cache.invalidateQueries(lists));
    if (shown().some(({ state }) => state.status === 'error' || state.fetchStatus !== 'idle')) isStale = true;
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (isStale && !isStopped) {
      isStale = false;
      await read();
      await pause(isStale ? retryMs : restMs);
    }
    isRunning = false;
  }

  return {
    refresh() {
      isStale = true;
      if (!isRunning) void run();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      endPause?.();
    },
  };
}
