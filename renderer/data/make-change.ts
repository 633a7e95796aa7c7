/** Changes of live events on the cache, also while an answer is on its way: it may be from before the event. */
import type { QueryClient } from '@tanstack/react-query';
import type { Change } from './apply-event.ts';

/** Everything under this key is asked for again: at once what is on the screen, the rest when it is next looked at. */
export function refetch(
  cache: QueryClient,
  key: readonly unknown[],
  isOf: (key: readonly unknown[]) => boolean = () => true,
): void {
  const filter = {
    queryKey: key,
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => isOf(queryKey),
  };
  for (const query of cache.getQueryCache().findAll(filter)) {
    const isUnderWay = query.state.fetchStatus === 'fetching';
    if (query.isActive()) {
      // A first answer is not asked for twice at a time, but after it.
      const again = () =>
        void cache.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
      if (isUnderWay && query.state.data === undefined) query.promise?.then(again, again);
    } else if (isUnderWay || query.queryKey[0] === 'thread') {
      // An old answer, or a new message put to it, would pass for the whole of it.
      cache.removeQueries({ queryKey: query.queryKey, exact: true });
    }
  }
  void cache.invalidateQueries(filter);
}

/** Puts it to what is held, and again to an answer that was on its way. */
export function apply(
  cache: QueryClient,
  key: readonly unknown[],
  update: Extract<Change, { kind: 'update' }>['update'],
): void {
  const once = () =>
    cache.setQueryData(key, (held: unknown) => (held === undefined ? held : update(held as never)));
  const query = cache.getQueryCache().find({ queryKey: key, exact: true });
  const underWay = query?.state.fetchStatus === 'fetching' ? query.promise : undefined;
  once();
  const again = () => void once();
  underWay?.then(again, again);
}
