/**
 * Who may do what with an objective (specification "Objectives"; D8). Apart from the schemas, because store threads decide by it and
 * start faster without zod.
 */
import type { Leaf, Relation, Rule } from './access.ts';
import type { Objective } from './objective.ts';

/** `thread member`: originator, assignee, watchers and holders of members.manage. */
export const objectiveRules = {
  create: ['objectives.create'],
  update: ['assignee', 'members.manage'],
  complete: ['assignee'],
  cancel: ['objectives.cancel', 'originator'],
  reassign: ['members.manage'],
  discuss: ['thread member'],
  watchers: ['objectives.watch', 'originator'],
} as const satisfies Record<string, Rule>;

/** What a member is to an objective. */
export function relationsToObjective(
  { assignee, originator, watchers }: Pick<Objective, 'assignee' | 'originator' | 'watchers'>,
  { member, permissions }: { member: string; permissions: readonly Leaf[] },
): Relation[] {
  const isInThread =
    [assignee, originator, ...watchers].includes(member) || permissions.includes('members.manage');
  return [
    ...(assignee === member ? (['assignee'] as const) : []),
    ...(originator === member ? (['originator'] as const) : []),
    ...(isInThread ? (['thread member'] as const) : []),
  ];
}
