/** Whether a member is a person or an agent, from what is known of it (specification/members.md#kinds). Pure. */
import type { MemberKind } from '#protocol/member-kind.ts';

export interface KindFacts {
  /** The decision of an operator; null if nobody decided. */
  set: MemberKind | null;
  /** Whether a run ever worked as the member, or a token for one was created. */
  hasRun: boolean;
  /** Whether the member can log in to the console. Only a person has codes of an authenticator. */
  hasAuthenticator: boolean;
}

export function kindOf({ set, hasRun, hasAuthenticator }: KindFacts): MemberKind {
  if (set !== null) return set;
  return hasRun && !hasAuthenticator ? 'agent' : 'person';
}
