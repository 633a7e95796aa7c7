/**
 * The rules for reading and posting in each kind of conversation (specification/messages.md#push). Separate from the
 * schemas, because store threads decide by it and start faster without zod.
 */
import type { Rule } from './access.ts';
import type { Scope } from './scope.ts';

/** `participant`: one of the two members of a direct conversation. `thread member`: see `objective-access.ts`. */
export const scopeRules = {
  general: { read: ['member'], post: ['member'] },
  channel: { read: ['channel member'], post: ['channel member'] },
  objective: { read: ['thread member'], post: ['thread member'] },
  direct: { read: ['participant'], post: ['participant'] },
} as const satisfies Record<Scope['kind'], Record<'read' | 'post', Rule>>;
