/** Scopes as a member names them (D19): `general`, `chan:<id>`, `obj:<id>`, or `dm:<member>`, the other side of a direct conversation. */
import { z } from 'zod';
import { ChannelId, MemberName, ObjectiveId } from './ids.ts';

const isOf = (schema: z.ZodType, value: string): boolean => schema.safeParse(value).success;

function isScopeName(scope: string): boolean {
  const [kind, rest] = [scope.slice(0, scope.indexOf(':')), scope.slice(scope.indexOf(':') + 1)];
  switch (kind) {
    case 'chan':
      return rest !== 'general' && isOf(ChannelId, rest);
    case 'obj':
      return isOf(ObjectiveId, rest);
    case 'dm':
      return isOf(MemberName, rest);
    default:
      return scope === 'general';
  }
}

/** `chan:general` is the same scope as `general` and reads as it. */
export const ScopeName = z
  .string()
  .max(80)
  .transform((scope) => (scope === 'chan:general' ? 'general' : scope))
  .refine(isScopeName, 'must be general, chan:<channel id>, obj:<objective id> or dm:<member>')
  .brand<'ScopeName'>()
  .meta({ type: 'string', examples: ['general', 'dm:ada'] });
export type ScopeName = z.infer<typeof ScopeName>;
