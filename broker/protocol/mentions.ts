/**
 * Mentions in text: `@name` in prose, at the boundaries of words (specification/web-push.md#mentions). One function decides for the broker and for
 * every client. No schema here, so that every program can load it cheaply.
 */
import { proseOf } from './markdown-prose.ts';

/**
 * Letters and digits of scripts whose words are separated, with their marks, but not the variants of emoji. Beside a character of another
 * script, a mention begins or ends.
 */
const joined =
  '(?![\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}\uFE00-\uFE0F])[\\p{L}\\p{N}\\p{Mn}\\p{Mc}]';

/** Precedes a name. */
export const mentionOpening = `(?<!${joined}_*)[@\uFF20]`;

/**
 * Matches a name as far as it goes. A dot, a hyphen, or an underscore after it is not part of it. `@scope/package` and `@name@host` name
 * something else.
 */
export const mentionPattern = new RegExp(
  `${mentionOpening}([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?!_*${joined}|[/@][A-Za-z0-9])`,
  'gu',
);

/** The part of a message that can mention somebody. */
export interface Mentioning {
  /** Plain text. */
  title: string | null;
  /** Markdown. */
  body: string;
}

/** Names as they were written, by their lower case. Whether they are members' is not known here. */
export type Mentions = ReadonlyMap<string, string>;

const none: Mentions = new Map();

/** Returns the mentions in a Markdown text. */
export function mentionsIn(text: string): Mentions {
  if (!/[@\uFF20]/.test(text)) return none;
  const found = proseOf(text).matchAll(mentionPattern);
  return new Map(Array.from(found, ([, name = '']) => [name.toLowerCase(), name]));
}

export function mentionsOf({ title, body }: Mentioning): Mentions {
  const inBody = mentionsIn(body);
  const inTitle = title === null ? none : mentionsIn(title);
  return inTitle.size === 0 ? inBody : new Map([...inBody, ...inTitle]);
}

/** Whether a message mentions the member; names are compared without regard to case. */
export function isMentioned(name: string, message: Mentioning): boolean {
  const wanted = name.toLowerCase();
  const isNamed = `${message.title ?? ''}\n${message.body}`.toLowerCase().includes(wanted);
  return isNamed && mentionsOf(message).has(wanted);
}
