/**
 * The text of a notification about a message, the same by web push and on the desktop
 * (specification/web-push.md#sending).
 */
import { limits } from './limits.ts';
import type { Message } from './message.ts';
import { formatScope, type ScopeName, scopeOf } from './scope.ts';

export interface MessageNotice {
  title: string;
  body: string;
  /** The scope as the recipient sees it (specification/messages.md#scopes). */
  thread: ScopeName;
  /** Path and query of the console's page that shows it. */
  url: string;
  id: string;
}

const maxTitleCharacters = 120;

/** Below 3 kB as JSON for any message, however long. */
export function messageNotice(message: Message): MessageNotice {
  const thread = formatScope(scopeOf(message, message.to ?? ''));
  const { title } = message;
  return {
    title: oneLine(
      title === null || title === '' ? message.from : `${message.from}: ${title}`,
      maxTitleCharacters,
    ),
    body: oneLine(message.body, limits.pushTextCharacters),
    thread,
    url: `/app/conversations/${encodeURIComponent(thread)}?message=${message.id}`,
    id: message.id,
  };
}

/** Returns one line of at most `max` code points; an ellipsis stands for what was cut off. */
function oneLine(text: string, max: number): string {
  // A code point has at most two UTF-16 units, so the rest of a long text need not be read.
  const line = text
    .slice(0, max * 4)
    .replace(/[\ud800-\udbff]$/u, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const points = [...line];
  if (points.length <= max && text.length <= max * 4) return line;
  return `${points.slice(0, max - 1).join('')}…`;
}
