/**
 * Applies the changes of live events to the cache. An answer that is in flight may be from before the event,
 * so it is changed as well.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { Change } from './apply-event.ts';
import { keys } from './keys.ts';

/** Loaded page by page. A hidden list begins again with its first page. */
const pagedKinds = new Set<unknown>(['thread', keys.objectives[0]]);

/** Fetches everything under this key again: visible data immediately, and the rest when it is next shown. */
export function refetch(
  cache: QueryClient,
  key: readonly unknown[],
  isOf: (key: readonly unknown[], held: unknown) => boolean = () => true,
): void {
  const filter = {
    queryKey: key,
    predicate: ({ queryKey, state }: { queryKey: readonly unknown[]; state: { data?: unknown } }) =>
      isOf(queryKey, state.data),
  };
  for (const query of cache.getQueryCache().findAll(filter)) {
    const isUnderWay = query.state.fetchStatus === 'fetching';
    if (query.isActive()) {
      // A first answer that is in flight is not requested twice in parallel, but again after it.
      const again = () =>
        void cache.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
      if (isUnderWay && query.state.data === undefined) query.promise?.then(again, again);
    } else if (isUnderWay || pagedKinds.has(query.queryKey[0])) {
      // Otherwise the old answer, or the new message alone, would be taken for the complete data.
      cache.removeQueries({ queryKey: query.queryKey, exact: true });
    }
  }
  void cache.invalidateQueries(filter);
}

/** Applies the update to the cached data under this key, and again to an answer that was in flight. */
export function apply(
  cache: QueryClient,
  key: readonly unknown[],
  update: Extract<Change, { kind: 'update' }>['update'],
): void {
  for (const query of cache.getQueryCache().findAll({ queryKey: key })) {
    const once = () =>
      void cache.setQueryData(query.queryKey, (held: unknown) =>
        held === undefined ? held : update(held as never),
      );
    const underWay = query.state.fetchStatus === 'fetching' ? query.promise : undefined;
    once();
    underWay?.then(once, once);
  }
}
