/** Which message is worth a notification of the system (as for web push, D12), as far as the member's own stream tells. */
import { mentionsIn } from '#protocol/mentions.ts';
import type { Level, Message } from '#protocol/message.ts';

const urgentLevels: readonly Level[] = ['warning', 'error', 'critical'];
const objectiveEvents = ['objective.assigned', 'objective.completed', 'objective.blocked'];

/** `self` reads it: it came on their stream. Never what they sent themselves. */
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

/** Only the broker writes `data.event` (D5). */
const isObjectiveEvent = (event: unknown): boolean =>
  typeof event === 'object' &&
  event !== null &&
  'type' in event &&
  objectiveEvents.some((type) => type === event.type);
