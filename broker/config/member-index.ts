/** The names and tokens that the members of a configuration hold: each belongs to one member only. */
import { foldedName } from '#protocol/folded-name.ts';
import type { MemberChanges } from './member-changes.rules.ts';
import type { ConfigMember } from './svc-config.ts';

export interface MemberIndex {
  /** Returns false, with nothing changed, if two members would have the same name or token. */
  apply(changes: MemberChanges<ConfigMember>): boolean;
  /** Takes changes back that were applied last. */
  undo(changes: MemberChanges<ConfigMember>): void;
}

/** No name has a colon and every hash has one, so that both fit into one set. */
const keysOf = ({ name, tokenHash }: ConfigMember): string[] =>
  tokenHash === undefined ? [foldedName(name)] : [foldedName(name), tokenHash];

/** The members are valid: their names and tokens are unique. */
export function createMemberIndex(members: readonly ConfigMember[]): MemberIndex {
  const held = new Set(members.flatMap(keysOf));

  function apply({ left, entered }: MemberChanges<ConfigMember>): boolean {
    const released = left.flatMap(keysOf);
    const claimed = entered.flatMap(keysOf);
    for (const key of released) held.delete(key);
    const isUnique = new Set(claimed).size === claimed.length && claimed.every((key) => !held.has(key));
    for (const key of isUnique ? claimed : released) held.add(key);
    return isUnique;
  }

  return { apply, undo: ({ left, entered }) => void apply({ left: entered, entered: left }) };
}
