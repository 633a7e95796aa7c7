/** What the logged-in member may do with an objective. */
import type { Objective } from '#protocol/objective.ts';
import { relationsToObjective } from '#protocol/objective-access.ts';
import type { OperationId } from '#protocol/operations.ts';
import { may } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';

/** Returns what the logged-in member may do with this objective in its present state. */
export function useObjectiveRights(objective: Objective) {
  const self = useSelf();
  const relations = relationsToObjective(objective, self);
  const isOpen = objective.status === 'active' || objective.status === 'blocked';
  const mayDo = (operation: OperationId) => isOpen && may(operation, self.permissions, relations);
  return {
    mayUpdate: mayDo('updateObjective'),
    mayComplete: mayDo('completeObjective'),
    mayCancel: mayDo('cancelObjective'),
    mayReassign: mayDo('reassignObjective'),
    mayWatch: mayDo('updateWatchers'),
  };
}
