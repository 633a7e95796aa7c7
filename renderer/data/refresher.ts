/** Reads queries again after changes, at a bounded pace: lists whose arrangement only the broker can tell. */
import type { Query, QueryClient } from '@tanstack/react-query';

/** Resolves when nothing is being read for the queries. */
export async function untilIdle(queries: () => readonly Query[]): Promise<void> {
  for (let busy = findBusy(queries()); busy !== undefined; busy = findBusy(queries()))
    await busy.promise?.catch(() => undefined);
}
const findBusy = (queries: readonly Query[]): Query | undefined =>
  queries.find(({ state, promise }) => state.fetchStatus === 'fetching' && promise !== undefined);

export interface RefresherTimes {
  /** The rest between two readings while things change. */
  restMs: number;
  /** The rest after a reading that failed. */
  retryMs: number;
  /** A reading that takes longer is given up for a new one. */
  patienceMs: number;
}

export interface Refresher {
  /** Something has changed. */
  refresh(): void;
  stop(): void;
}

/**
 * Reads the visible queries under the key again after changes, once for all changes during a reading and the rest after it. Hidden
 * ones begin again when they are shown.
 */
export function createRefresher(
  cache: QueryClient,
  queryKey: readonly unknown[],
  { restMs, retryMs, patienceMs }: RefresherTimes = { restMs: 1000, retryMs: 5000, patienceMs: 15_000 },
): Refresher {
  const all = { queryKey };
  const shown = () => cache.getQueryCache().findAll({ ...all, type: 'active' });
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
    cache.removeQueries({ ...all, type: 'inactive' });
    await patiently(untilIdle(shown));
    await patiently(cache.invalidateQueries(all));
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
