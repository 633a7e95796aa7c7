/** The effect of moving a card of the board to another status (specification/objectives.md#states). Pure. */
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';

/** The member's rights to the objective in its present state, as `rightsTo` answers. */
export interface MoveRights {
  mayUpdate: boolean;
  mayComplete: boolean;
  mayCancel: boolean;
}

export type Move =
  | { kind: 'none' }
  /** A dialog asks for the text of the action. */
  | { kind: 'ask'; act: 'block' | 'complete' | 'cancel' }
  | { kind: 'unblock' }
  | { kind: 'refused'; sentence: string };

const refused = (sentence: string): Move => ({ kind: 'refused', sentence });

export function moveOf(objective: Objective, to: ObjectiveStatus, rights: MoveRights): Move {
  const { status, assignee } = objective;
  if (status === to) return { kind: 'none' };
  if (status === 'done') return refused('It is done, which is final.');
  if (status === 'cancelled') return refused('It is canceled, which is final.');
  switch (to) {
    case 'active':
    case 'blocked':
      if (!rights.mayUpdate)
        return refused(
          `Only its assignee, ${assignee}, and members who manage members may block or unblock it.`,
        );
      return to === 'active' ? { kind: 'unblock' } : { kind: 'ask', act: 'block' };
    case 'done':
      return rights.mayComplete
        ? { kind: 'ask', act: 'complete' }
        : refused(`Only its assignee, ${assignee}, may complete it.`);
    case 'cancelled':
      return rights.mayCancel
        ? { kind: 'ask', act: 'cancel' }
        : refused('Only its originator and members who may cancel any objective can cancel it.');
  }
}
