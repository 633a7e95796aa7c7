/** Updates the cached objectives after a change. */
import { useQueryClient } from '@tanstack/react-query';
import type { Objective } from '#protocol/objective.ts';
import { keys } from '../../data/keys.ts';
import { refetch } from '../../data/make-change.ts';

/** Reads what changed again without waiting for the event. */
export function useRefreshObjective() {
  const cache = useQueryClient();
  return (objective: Objective) => {
    refetch(cache, keys.objective(objective.id));
    refetch(cache, keys.objectives);
  };
}
