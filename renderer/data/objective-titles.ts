/** The titles of objectives by id. A title never changes, so each is asked for once. */
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError } from '#protocol/errors.ts';
import type { ObjectiveView } from '#protocol/objective.ts';
import { useBroker } from './broker.tsx';
import { keys } from './keys.ts';
import { loadedObjective } from './objective-lists.ts';

/** Titles that are not shown are forgotten beyond this number, the oldest first. */
export const maxTitles = 500;

function forgetOldest(cache: QueryClient): void {
  const titles = cache.getQueryCache().findAll({ queryKey: keys.objectiveTitles });
  const hidden = titles
    .filter((query) => !query.isActive() && query.state.fetchStatus === 'idle')
    .sort((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt);
  for (const query of hidden.slice(0, Math.max(0, titles.length - maxTitles)))
    cache.getQueryCache().remove(query);
}

const isUnreadable = (error: unknown): boolean =>
  error instanceof BrokerError && [400, 403, 404].includes(error.status);

/** Null for an objective that does not exist or may not be read. */
function titleQuery(cache: QueryClient, client: BrokerClient, id: string) {
  return queryOptions({
    queryKey: keys.objectiveTitle(id),
    initialData: (): string | null | undefined =>
      cache.getQueryData<ObjectiveView>(keys.objective(id))?.objective.title ??
      loadedObjective(cache, id)?.title,
    queryFn: async (): Promise<string | null> => {
      forgetOldest(cache);
      try {
        return (await client.call('objective', { params: { id } })).objective.title;
      } catch (error) {
        if (isUnreadable(error)) return null;
        throw error;
      }
    },
  });
}

/**
 * Returns the title of an objective: from what is loaded, or else from the broker. Undefined until it is known, and
 * for an objective that cannot be read. Without an id, nothing is asked.
 */
export function useObjectiveTitle(id: string | undefined): string | undefined {
  const { client } = useBroker();
  const cache = useQueryClient();
  const { data } = useQuery({ ...titleQuery(cache, client, id ?? ''), enabled: id !== undefined });
  return data ?? undefined;
}

/** Returns the title, from what is loaded if possible; null for an objective that cannot be read. @throws what the client throws. */
export const fetchObjectiveTitle = (
  cache: QueryClient,
  client: BrokerClient,
  id: string,
): Promise<string | null> => cache.fetchQuery(titleQuery(cache, client, id));
