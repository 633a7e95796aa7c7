/** Who gets a browser push of a message, what it says, and when it is tried again (D12). Pure. */
import { limits } from '#protocol/limits.ts';
import { mentionsIn } from '#protocol/mentions.ts';
import type { Level, Message } from '#protocol/message.ts';

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

/** One line of at most `max` code points; what was cut off shows as an ellipsis. */
function oneLine(text: string, max: number): string {
  // A code point has at most two UTF-16 units; the rest of a long text need not be looked at.
  const line = text
    .slice(0, max * 4)
    .replace(/[\ud800-\udbff]$/u, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const points = [...line];
  if (points.length <= max && text.length <= max * 4) return line;
  return `${points.slice(0, max - 1).join('')}…`;
}

/** The scope as the recipient names it (D19): `general`, `chan:<id>`, `obj:<id>`, or `dm:<sender>`. */
function threadOf(message: Message): string {
  if (message.to !== null) return `dm:${message.from}`;
  const { thread } = message.data;
  return typeof thread === 'string' && thread !== 'chan:general' ? thread : 'general';
}

/** JSON of {title, body, thread, url, id}, below 3 kB whatever the message holds. */
export function pushPayload(message: Message): string {
  const thread = threadOf(message);
  const { title } = message;
  return JSON.stringify({
    title: oneLine(title === null || title === '' ? message.from : `${message.from}: ${title}`, 120),
    body: oneLine(message.body, limits.pushTextCharacters),
    thread,
    url: `/app/conversations/${encodeURIComponent(thread)}?message=${message.id}`,
    id: message.id,
  });
}

/** What becomes of a push after a reply. `status` 0: no reply came. */
export type PushFate = 'delivered' | 'gone' | 'retry' | 'dropped';

export function fateOf(status: number): PushFate {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 404 || status === 410) return 'gone';
  return status === 0 || status === 429 || status >= 500 ? 'retry' : 'dropped';
}

const firstRetryMs = 1000;
const longestRetryMs = 60 * 60_000;

/** How long to leave the subscription alone: at least what Retry-After asks (seconds or a date), doubling with each failure. */
export function retryDelayMs(failures: number, retryAfter: string | undefined, now: number): number {
  const seconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : Number.NaN;
  const date = retryAfter === undefined ? Number.NaN : Date.parse(retryAfter) - now;
  const asked = Number.isNaN(seconds) ? date : seconds;
  const own = firstRetryMs * 2 ** Math.min(failures - 1, 10);
  return Math.min(Math.max(own, Number.isNaN(asked) ? 0 : asked), longestRetryMs);
}
