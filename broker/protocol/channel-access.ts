/**
 * The rules of access to a channel (specification/channels.md#operations). Separate from the schemas, because
 * store threads decide by it and start faster without zod.
 */
import type { Relation, Rule } from './access.ts';

export const channelRules = {
  /** Rename, archive, add and remove others, and give roles. */
  manage: ['channel admin', 'members.manage'],
  /** Join or leave: the member itself, or whoever manages the channel. */
  joinOrLeave: ['channel admin', 'self', 'members.manage'],
} as const satisfies Record<string, Rule>;

/** Returns the relations of a member with this role to a channel; null is no member of it. Nobody is an admin of `general`. */
export const relationsToChannel = (role: 'admin' | 'member' | null): Relation[] =>
  role === null ? [] : role === 'admin' ? ['channel member', 'channel admin'] : ['channel member'];
