/**
 * Who may do what with a channel (specification "Channels", "Authentication" rule 5; D9, D18). Apart from the schemas, because store
 * threads decide by it and start faster without zod.
 */
import type { Rule } from './access.ts';

export const channelRules = {
  /** Rename, archive, add and remove others, give roles. */
  manage: ['channel admin', 'members.manage'],
  /** Come in or go: oneself, or whoever manages the channel. */
  joinOrLeave: ['channel admin', 'self', 'members.manage'],
} as const satisfies Record<string, Rule>;
