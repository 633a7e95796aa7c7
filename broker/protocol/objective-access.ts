/**
 * The rules of access to an objective (specification/objectives.md#states). Separate from the schemas, because
 * store threads decide by it and start faster without zod.
 */
import type { Leaf, Relation, Rule } from './access.ts';
import type { Objective } from './objective.ts';
import { scopeRules } from './scope-access.ts';

/** `thread member`: originator, assignee, watchers, and holders of members.manage. */
export const objectiveRules = {
  create: ['objectives.create'],
  update: ['assignee', 'members.manage'],
  complete: ['assignee'],
  cancel: ['objectives.cancel', 'originator'],
  reassign: ['members.manage'],
  discuss: scopeRules.objective.post,
  watchers: ['objectives.watch', 'originator'],
} as const satisfies Record<string, Rule>;

/** The roles of a member in an objective. */
export interface ThreadRoles {
  isAssignee: boolean;
  isOriginator: boolean;
  isWatcher: boolean;
  /** Holds members.manage. */
  isManager: boolean;
}

/** Returns the relations of a member with these roles (specification/objectives.md#discussion). */
export function threadRelations({ isAssignee, isOriginator, isWatcher, isManager }: ThreadRoles): Relation[] {
  return [
    ...(isAssignee ? (['assignee'] as const) : []),
    ...(isOriginator ? (['originator'] as const) : []),
    ...(isAssignee || isOriginator || isWatcher || isManager ? (['thread member'] as const) : []),
  ];
}

/** Returns the relations of a member to an objective. */
export const relationsToObjective = (
  { assignee, originator, watchers }: Pick<Objective, 'assignee' | 'originator' | 'watchers'>,
  { member, permissions }: { member: string; permissions: readonly Leaf[] },
): Relation[] =>
  threadRelations({
    isAssignee: assignee === member,
    isOriginator: originator === member,
    isWatcher: watchers.includes(member),
    isManager: permissions.includes('members.manage'),
  });
