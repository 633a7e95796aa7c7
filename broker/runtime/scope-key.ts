/** Scopes as they are stored, and as a member names them (D19). The key of a direct conversation is the same for both sides. */
import type { ScopeName } from '#protocol/scope-name.ts';

/** The stored key of a scope as `member` names it (D19). */
export const keyOfScope = (member: string, scope: ScopeName): string =>
  scope.startsWith('dm:') ? `dm:${[member, scope.slice('dm:'.length)].sort().join(':')}` : scope;

/** The scope of a stored key as `member` names it: a direct conversation by its other side (D19). */
export function nameOfScope(key: string, member: string): string {
  if (!key.startsWith('dm:')) return key;
  const [, a, b] = key.split(':');
  return `dm:${a === member ? b : a}`;
}
