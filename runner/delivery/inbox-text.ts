/** The waiting messages as a list for an agent's program (specification/runner.md#tools-beside-the-23). */
import type { Waiting } from '#protocol/receipt.ts';
import { inLine } from '../toolbox/plain-text.rules.ts';

/** One line per message without its body, so that a model that reads the list has not read the message. */
export function inboxText({ messages, more }: Waiting): string {
  const lines = messages.map(({ id, ts, from, title }) => {
    const head = title === null || title === '' ? '' : ` [${inLine(title)}]`;
    return `- ${new Date(ts).toISOString()} ${from}${head} ${id}`;
  });
  const older = more === 0 ? [] : [`${more} older ones are not listed`];
  return [`${messages.length} messages wait for you:`, ...lines, ...older].join('\n');
}
