/**
 * Decides which messages are worth a system notification, by the rules of web push
 * (specification/web-push.md#sending), as far as the member's own stream shows, and how the system gets its text.
 */
import { isMentioned } from '#protocol/mentions.ts';
import type { Level, Message } from '#protocol/message.ts';

const urgentLevels: readonly Level[] = ['warning', 'error', 'critical'];
const objectiveEvents = ['objective.assigned', 'objective.completed', 'objective.blocked'];

/** Whether a message on the stream of `self` is worth a notification. A message that `self` sent never is. */
export function isWorthNotice(message: Message, self: string): boolean {
  if (message.from === self) return false;
  return (
    message.to === self ||
    urgentLevels.includes(message.level) ||
    isObjectiveEvent(message.data.event) ||
    isMentioned(self, message)
  );
}

/** Only the broker writes `data.event`. */
const isObjectiveEvent = (event: unknown): boolean =>
  typeof event === 'object' &&
  event !== null &&
  'type' in event &&
  objectiveEvents.some((type) => type === event.type);

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Returns the body of a notification that shows this text. The desktops of Linux read a body as markup, so a message
 * could show a link of its own. `platform`: a value of `process.platform`.
 */
export const noticeBody = (text: string, platform: string): string =>
  platform === 'linux' ? text.replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign) : text;
