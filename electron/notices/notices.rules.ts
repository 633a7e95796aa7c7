/**
 * Decides which messages are worth a system notification, by the rules of web push
 * (specification/web-push.md#sending), as far as the member's own stream shows.
 */
import { mentionsIn } from '#protocol/mentions.ts';
import type { Level, Message } from '#protocol/message.ts';

const urgentLevels: readonly Level[] = ['warning', 'error', 'critical'];
const objectiveEvents = ['objective.assigned', 'objective.completed', 'objective.blocked'];

/** Whether a message on the stream of `self` is worth a notification. A message that `self` sent never is. */
export function isWorthNotice(message: Message, self: string): boolean {
  if (message.from === self) return false;
  const text = message.title === null ? message.body : `${message.title}\n${message.body}`;
  return (
    message.to === self ||
    urgentLevels.includes(message.level) ||
    isObjectiveEvent(message.data.event) ||
    mentionsIn(text).has(self)
  );
}

/** Only the broker writes `data.event`. */
const isObjectiveEvent = (event: unknown): boolean =>
  typeof event === 'object' &&
  event !== null &&
  'type' in event &&
  objectiveEvents.some((type) => type === event.type);
