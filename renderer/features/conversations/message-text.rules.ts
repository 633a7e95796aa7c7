/** The parts of a message that are used elsewhere: in an answer, and in an objective. Pure. */
import { limits } from '#protocol/limits.ts';
import type { Message } from '#protocol/message.ts';

const maxQuoted = 1000;

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).trimEnd()}…`;

/** Returns the message as a quote in Markdown, with an empty line after it. */
export function quoteInMarkdown({ from, body }: Pick<Message, 'from' | 'body'>): string {
  const lines = `${from} wrote:\n${cut(body.trim(), maxQuoted)}`.split('\n');
  return `${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}\n\n`;
}

/** Returns the title of the message, or else its first line with words, without marks of Markdown. */
export function titleOfMessage({ title, body }: Pick<Message, 'title' | 'body'>): string {
  if (title !== null && title.trim() !== '') return cut(title.trim(), limits.objective.title);
  const lines = body.split('\n').map((line) =>
    line
      .replace(/^[\s>#*+-]+/, '')
      .replaceAll(/[*_`~]+/g, '')
      .trim(),
  );
  return cut(lines.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? '', limits.objective.title);
}

/** Returns the description of an objective that comes from a message; `url` leads to the message, if everyone may follow it. */
export function descriptionOf({ from, body }: Pick<Message, 'from' | 'body'>, url: string | null): string {
  const source = url === null ? `From a message of ${from}.` : `From a message of ${from}: ${url}`;
  return `${cut(body.trim(), limits.objective.body - source.length - 2)}\n\n${source}`;
}
