/**
 * The messages that begin a turn of the agent; the others wait and come with the next one
 * (docs/specification/members.md#waking). Pure.
 */
import type { WakePolicy } from '#protocol/member.ts';
import { isMentioned } from '#protocol/mentions.ts';
import type { Message } from '#protocol/message.ts';
import { scopeOf } from '#protocol/scope.ts';
import { assignedBy } from './message-block.rules.ts';

/** The agent's member, as far as it decides what wakes it. */
export interface Sleeper {
  name: string;
  policy: WakePolicy;
  /** Holds members.manage, and so is in every thread. */
  isManager: boolean;
  /** The ids of the open objectives that are assigned to it, or that it created. */
  objectives: ReadonlySet<string>;
}

/** Whether the message begins a turn. It must be one that the agent's member may read. */
export function wakes(message: Message, { name, policy, isManager, objectives }: Sleeper): boolean {
  const scope = scopeOf(message, name);
  if (policy === 'all' || scope.kind === 'direct' || assignedBy(message, name) !== null) return true;
  if (isMentioned(name, message)) return true;
  // A member who is in a thread without managing the team has a part in its objective.
  if (scope.kind === 'objective' && (!isManager || objectives.has(scope.objectiveId))) return true;
  return policy === 'default' && message.agent === undefined;
}
