/** The standing of a member in a conversation, and what it may therefore do there. The one place that decides it. Pure. */
import { isAllowed, type Relation } from '#protocol/access.ts';
import { type ThreadRoles, threadRelations } from '#protocol/objective-access.ts';
import type { Scope } from '#protocol/scope.ts';
import { scopeRules } from '#protocol/scope-access.ts';

/** The facts about one member and one conversation that decide what the member may do in it. */
export type Standing =
  | { kind: 'general' }
  | { kind: 'channel'; isMember: boolean }
  | ({ kind: 'objective' } & ThreadRoles)
  | { kind: 'direct'; isParticipant: boolean };

function relationsOf(standing: Standing): Relation[] {
  switch (standing.kind) {
    case 'general':
      return [];
    case 'channel':
      return standing.isMember ? ['channel member'] : [];
    case 'objective':
      return threadRelations(standing);
    case 'direct':
      return standing.isParticipant ? ['participant'] : [];
  }
}

/** Whether a member with this standing may read or post in the conversation, by the rules in `protocol/scope-access.ts`. */
export const isPermitted = (action: keyof (typeof scopeRules)[Scope['kind']], standing: Standing): boolean =>
  isAllowed(scopeRules[standing.kind][action], [], relationsOf(standing));

/**
 * Whether the channel exists for a member; if not, every answer is that of an unknown channel
 * (specification/channels.md#private-channels).
 */
export const isKnownTo = (
  { isPrivate }: { isPrivate: boolean },
  { isMember, isManager }: { isMember: boolean; isManager: boolean },
): boolean => !isPrivate || isMember || isManager;

/** The members of an objective's thread: originator, assignee, watchers, and the holders of members.manage. */
export function threadMembers(
  { originator, assignee, watchers }: { originator: string; assignee: string; watchers: readonly string[] },
  managers: readonly string[],
): string[] {
  return [...new Set([originator, assignee, ...watchers, ...managers])];
}

/**
 * Whether the broker wrote a message about an event. Members to whom such a notice was addressed may read it also after they left the
 * thread; everything else in a thread is for its present members.
 */
export const isNotice = (data: object): boolean => Object.hasOwn(data, 'event');
