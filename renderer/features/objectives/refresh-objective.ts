/** Updates the cached objectives after a change. */
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';

/** Puts the answer into the cache without waiting for the event. */
export function useRefreshObjective() {
  const cache = useQueryClient();
  return ({ id }: { id: string }) => {
    void cache.invalidateQueries({ queryKey: keys.objective(id) });
    void cache.invalidateQueries({ queryKey: keys.objectives });
  };
}
