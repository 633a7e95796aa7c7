/** The messages that the final text of a turn answers (specification/runner.md#the-final-text-of-a-turn). Pure. */
import { isMentioned } from '#protocol/mentions.ts';
import type { Message } from '#protocol/message.ts';
import { scopeOf } from '#protocol/scope.ts';

export interface TurnReply {
  place: { kind: 'member'; name: string } | { kind: 'objective'; objectiveId: string };
  inReplyTo: string;
}

/** Of one turn; a model that answers more members at once says so by tool. */
const maxReplies = 5;
const maxCharacters = 8000;

/**
 * Returns where the answer to a message belongs; null for one to which nobody waits for an answer. A message
 * that a runner posted by itself is never answered this way, because two runners could go on forever.
 */
function placeOf(message: Message, self: string): TurnReply['place'] | null {
  const { from, data, auto } = message;
  if (auto || from === self || data.event !== undefined) return null;
  const scope = scopeOf(message, self);
  if (scope.kind === 'direct') return { kind: 'member', name: from };
  if (scope.kind === 'objective') return { kind: 'objective', objectiveId: scope.objectiveId };
  return isMentioned(self, message) ? { kind: 'member', name: from } : null;
}

/** Returns the reply to a message; null if nobody waits for one. */
export function replyTo(message: Message, self: string): TurnReply | null {
  const place = placeOf(message, self);
  return place === null ? null : { place, inReplyTo: message.id };
}

/** Returns one reply per place, to the newest message there. */
export function newestPerPlace(replies: readonly TurnReply[]): TurnReply[] {
  const replyByPlace = new Map(replies.map((reply) => [JSON.stringify(reply.place), reply]));
  return [...replyByPlace.values()].slice(-maxReplies);
}

/** Returns the text as it is posted; null if there is nothing to post. */
export function replyText(text: string): string | null {
  const whole = text.trim();
  if (whole === '') return null;
  if (whole.length <= maxCharacters) return whole;
  const end = maxCharacters - (/[\ud800-\udbff]/.test(whole.charAt(maxCharacters - 1)) ? 1 : 0);
  return `${whole.slice(0, end)}\n[shortened: ${end} of ${whole.length} characters]`;
}
