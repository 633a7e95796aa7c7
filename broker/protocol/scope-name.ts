/**
 * The text form of a scope, as clients send it: checked once, and in its normal form afterwards
 * (specification/messages.md#scopes).
 */
import { z } from 'zod';
import { ChannelId, MemberName, ObjectiveId } from './ids.ts';
import { formatScope, parseScope, type Scope, type ScopeName as ScopeNameText } from './scope.ts';

const isA = (schema: z.ZodType, value: string): boolean => schema.safeParse(value).success;

function namesThings(scope: Scope): boolean {
  switch (scope.kind) {
    case 'general':
      return true;
    case 'channel':
      return isA(ChannelId, scope.channelId);
    case 'objective':
      return isA(ObjectiveId, scope.objectiveId);
    case 'direct':
      return isA(MemberName, scope.member);
  }
}

/** `chan:general` is the same scope as `general` and is read as it. */
export const ScopeName = z
  .string()
  .max(80)
  .transform((name, context): ScopeNameText => {
    const scope = parseScope(name);
    if (scope !== undefined && namesThings(scope)) return formatScope(scope);
    context.addIssue('must be general, chan:<channel id>, obj:<objective id> or dm:<member>');
    return z.NEVER;
  })
  .meta({ type: 'string', examples: ['general', 'dm:ada'] });
export type ScopeName = ScopeNameText;
