/** Who gets a browser push of a message, what it says, and when it is tried again (D12). Pure. */
import { mentionsIn } from '#protocol/mentions.ts';
import type { Level, Message } from '#protocol/message.ts';
import { messageNotice } from '#protocol/message-notice.ts';

/** Members who can read the message, or all of them. */
export type Readers = 'everyone' | readonly string[];

const urgentLevels: readonly Level[] = ['warning', 'error', 'critical'];

/**
 * Of `subscribed`, the members this message is pushed to: a direct message to them, a mention of them that they can read, anything
 * of level warning or above that they can read, a notice of an objective that concerns them. Never its sender.
 */
export function pushTargets(
  message: Message,
  readers: Readers,
  subscribed: Iterable<string>,
  concerned: readonly string[] = [],
): string[] {
  const isUrgent = urgentLevels.includes(message.level);
  const mentioned = mentionsIn(message.title === null ? message.body : `${message.title}\n${message.body}`);
  if (!isUrgent && message.to === null && mentioned.size === 0 && concerned.length === 0) return [];
  const canRead = (name: string) => readers === 'everyone' || readers.includes(name);
  return [...subscribed].filter(
    (name) =>
      name !== message.from &&
      canRead(name) &&
      (isUrgent || message.to === name || mentioned.has(name) || concerned.includes(name)),
  );
}

/** JSON of {title, body, thread, url, id}, below 3 kB whatever the message holds. */
export const pushPayload = (message: Message): string => JSON.stringify(messageNotice(message));

/** What becomes of a push after a reply. `status` 0: no reply came. */
export type PushFate = 'delivered' | 'gone' | 'retry' | 'dropped';

export function fateOf(status: number): PushFate {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 404 || status === 410) return 'gone';
  return status === 0 || status === 429 || status >= 500 ? 'retry' : 'dropped';
}

const firstRetryMs = 1000;
const maxRetryMs = 60 * 60_000;

/** How long to leave the subscription alone: at least what Retry-After asks (seconds or a date), doubling with each failure. */
export function retryDelayMs(failures: number, retryAfter: string | undefined, now: number): number {
  const seconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : Number.NaN;
  const date = retryAfter === undefined ? Number.NaN : Date.parse(retryAfter) - now;
  const asked = Number.isNaN(seconds) ? date : seconds;
  const own = firstRetryMs * 2 ** Math.min(failures - 1, 10);
  return Math.min(Math.max(own, Number.isNaN(asked) ? 0 : asked), maxRetryMs);
}
