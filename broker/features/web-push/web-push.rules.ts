/**
 * Decides who gets a browser push for a message, what it says, and when it is retried
 * (specification/web-push.md#sending). Pure.
 */
import { mentionsOf } from '#protocol/mentions.ts';
import type { Level, Message } from '#protocol/message.ts';
import { messageNotice } from '#protocol/message-notice.ts';

/** The members who can read the message, or everybody. */
export type Readers = 'everyone' | readonly string[];

const urgentLevels: readonly Level[] = ['warning', 'error', 'critical'];

/**
 * Returns the members of `subscribed` to whom this message is pushed: recipients of a direct message,
 * mentioned members who can read it, all readers of anything at level warning or above, and those whom a
 * notice of an objective concerns. Never its sender.
 */
export function pushTargets(
  message: Message,
  readers: Readers,
  subscribed: Iterable<string>,
  concerned: readonly string[] = [],
): string[] {
  const isUrgent = urgentLevels.includes(message.level);
  const mentioned = mentionsOf(message);
  if (!isUrgent && message.to === null && mentioned.size === 0 && concerned.length === 0) return [];
  const canRead = (name: string) => readers === 'everyone' || readers.includes(name);
  return [...subscribed].filter(
    (name) =>
      name !== message.from &&
      canRead(name) &&
      (isUrgent || message.to === name || mentioned.has(name.toLowerCase()) || concerned.includes(name)),
  );
}

/** The JSON of {title, body, thread, url, id}, below 3 kB whatever the message contains. */
export const pushPayload = (message: Message): string => JSON.stringify(messageNotice(message));

/** Whether the push service does not accept the broker's signature. */
export const isRefusalOfKey = (status: number): boolean => status === 401 || status === 403;

/** The fate of a push after a reply. `status` 0: no reply came. */
export type PushFate = 'delivered' | 'gone' | 'retry' | 'dropped';

/**
 * `isKeyProven`: whether the push service has taken a message of this subscription under the present key. If
 * not, 401 and 403 mean that the subscription was made for another key, and it never gets a message.
 */
export function fateOf(status: number, isKeyProven: boolean): PushFate {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 404 || status === 410) return 'gone';
  if (isRefusalOfKey(status) && !isKeyProven) return 'gone';
  return status === 0 || status === 429 || status >= 500 ? 'retry' : 'dropped';
}

const firstRetryMs = 1000;
const maxRetryMs = 60 * 60_000;

/**
 * Returns how long to pause the subscription: at least what Retry-After asks (seconds or a date), and twice
 * as long after each failure.
 */
export function retryDelayMs(failures: number, retryAfter: string | undefined, now: number): number {
  const seconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : Number.NaN;
  const date = retryAfter === undefined ? Number.NaN : Date.parse(retryAfter) - now;
  const asked = Number.isNaN(seconds) ? date : seconds;
  const own = firstRetryMs * 2 ** Math.min(failures - 1, 10);
  return Math.min(Math.max(own, Number.isNaN(asked) ? 0 : asked), maxRetryMs);
}
