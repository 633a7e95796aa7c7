/** A message as a person reads it: `<local time> <from> → <to> [<title>]: <body>`. */
import type { Message } from '#protocol/message.ts';
import { acceptedAt } from '#protocol/message-time.ts';
import { scopeOfThread } from '#protocol/scope.ts';
import { block, oneLine } from './terminal-text.ts';

/** @param channel the slug of its channel, if it is known; otherwise its id is shown. */
export function messageLine(message: Message, channel?: string): string {
  const title = message.title ? ` [${oneLine(message.title)}]` : '';
  const level = message.level === 'info' ? '' : ` (${oneLine(message.level)})`;
  const attached = message.attachments.map((path) => `\n    attached: ${oneLine(path)}`).join('');
  const head = `${localTime(acceptedAt(message))} ${oneLine(message.from)} → ${oneLine(placeOf(message, channel))}`;
  return `${head}${title}${level}: ${block(message.body)}${attached}`;
}

/** The member, `#<channel>`, or objective to which it went. */
function placeOf(message: Message, channel: string | undefined): string {
  if (message.to !== null) return message.to;
  const scope = scopeOfThread(message.data.thread);
  if (scope?.kind === 'objective') return scope.objectiveId;
  return scope?.kind === 'channel' ? `#${channel ?? scope.channelId}` : '#general';
}

/** `YYYY-MM-DD hh:mm:ss` in this machine's time zone. */
export function localTime(ts: number): string {
  const at = new Date(ts);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
