/** The rights of the logged-in member to an objective. */
import type { Objective } from '#protocol/objective.ts';
import { relationsToObjective } from '#protocol/objective-access.ts';
import type { OperationId } from '#protocol/operations.ts';
import type { SessionReply } from '#protocol/session.ts';
import { may } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';

/** Returns what this member may do with this objective in its present state. */
export function rightsTo(objective: Objective, self: SessionReply) {
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

export type ObjectiveRights = ReturnType<typeof rightsTo>;

export const useObjectiveRights = (objective: Objective): ObjectiveRights => rightsTo(objective, useSelf());
