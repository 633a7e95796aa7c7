/** Updates the cached objectives after a change. */
import { useQueryClient } from '@tanstack/react-query';
import type { Objective } from '#protocol/objective.ts';
import { keys } from '../../data/keys.ts';
import { putObjective } from '../../data/objective-lists.ts';

/** Puts the answer into the cache without waiting for the event. */
export function useRefreshObjective() {
  const cache = useQueryClient();
  return (objective: Objective) => {
    putObjective(cache, objective);
    void cache.invalidateQueries({ queryKey: keys.objective(objective.id) });
  };
}
