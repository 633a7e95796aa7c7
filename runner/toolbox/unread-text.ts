/** The unread conversations as the tool `unread` shows them (specification/runner.md#tools-beside-the-23). */
import type { Unread } from '#protocol/receipt.ts';
import type { ToolText } from './tool.ts';

/** @param slugByScope the slugs of channels, by their scopes. */
export function unreadText({ scopes, more }: Unread, slugByScope: ReadonlyMap<string, string>): ToolText {
  const waiting = scopes.filter(({ count }) => count > 0);
  const lines = waiting.map(({ scope, count, mentions, lastReadId }) => {
    const slug = slugByScope.get(scope);
    const name = slug === undefined ? scope : `${scope} (#${slug})`;
    return `- ${name}: ${count} unread, ${mentions} mentions, read up to ${lastReadId ?? '-'}`;
  });
  const nothing =
    more === undefined
      ? 'nothing is unread'
      : 'nothing is unread in the conversations with the newest messages';
  return {
    text: lines.length === 0 ? nothing : ['unread:', ...lines].join('\n'),
    notes:
      more === undefined
        ? []
        : [
            'There may be more: only conversations with the newest messages are counted. Mark those that you have read as read, and call unread again.',
          ],
    structured: { scopes: waiting, ...(more !== undefined && { more }) },
  };
}
