/**
 * An event that is too large to be uploaded: its largest texts are shortened, each with a note, before
 * anything is left out.
 */
import type { ActivityEvent } from '#protocol/activity.ts';

type Exchange = Extract<ActivityEvent, { kind: 'llm_exchange' }>;

function withTextsCut(value: unknown, maxCharacters: number): unknown {
  if (typeof value === 'string') {
    if (value.length <= maxCharacters) return value;
    return `${value.slice(0, maxCharacters).toWellFormed()}… [shortened: ${value.length - maxCharacters} characters more]`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withTextsCut(one, maxCharacters));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withTextsCut(one, maxCharacters)]),
  );
}

const sizeOf = (text: string): number => Buffer.byteLength(text);

/** The last messages are the new ones: the others were in earlier exchanges. */
function withoutOldMessages(event: Exchange, kept: number): Exchange {
  const { request } = event.entry;
  const messages = kept === 0 ? [] : request.messages.slice(-kept);
  const left = request.messages.length - messages.length;
  const note = `${left} earlier messages and the tools were left out`;
  return {
    ...event,
    entry: { ...event.entry, request: { ...request, messages, tools: null }, shortened: note },
  };
}

/**
 * Returns the event as one line of JSON of at most `most` bytes; null if nothing of it can be kept. Shortened
 * texts are already masked.
 */
export function lineOf(event: ActivityEvent, most: number): string | null {
  const whole = JSON.stringify(event);
  if (sizeOf(whole) <= most) return whole;
  for (let maxCharacters = 256 * 1024; maxCharacters >= 64; maxCharacters /= 2) {
    const line = JSON.stringify(withTextsCut(event, maxCharacters));
    if (sizeOf(line) <= most) return line;
  }
  if (event.kind !== 'llm_exchange') return null;
  for (let kept = event.entry.request.messages.length >> 1; ; kept >>= 1) {
    const line = JSON.stringify(withTextsCut(withoutOldMessages(event, kept), 64));
    if (sizeOf(line) <= most) return line;
    if (kept === 0) break;
  }
  const bare = withoutOldMessages({ ...event, entry: { ...event.entry, response: null } }, 0);
  const line = JSON.stringify(withTextsCut(bare, 64));
  return sizeOf(line) <= most ? line : null;
}
