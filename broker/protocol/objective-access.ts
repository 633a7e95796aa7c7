/**
 * Who may do what with an objective (specification "Objectives"; D8). Apart from the schemas, because store threads decide by it and
 * start faster without zod.
 */
import type { Rule } from './access.ts';
import { scopeRules } from './scope-access.ts';

/** `thread member`: originator, assignee, watchers and holders of members.manage. */
export const objectiveRules = {
  create: ['objectives.create'],
  update: ['assignee', 'members.manage'],
  complete: ['assignee'],
  cancel: ['objectives.cancel', 'originator'],
  reassign: ['members.manage'],
  discuss: scopeRules.objective.post,
  watchers: ['objectives.watch', 'originator'],
} as const satisfies Record<string, Rule>;
