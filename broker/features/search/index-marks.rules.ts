/**
 * The words that the full-text index holds of a message (specification/search.md#index): its title, marks, and its body. A mark is one word
 * that begins with a character of its own, which the index takes for a letter and people do not write. Pure.
 */
import { searchableText } from './search-words.rules.ts';

/** Positions that share a block. */
const blockSize = 32_768;

/** Separators in scopes and names; in their place, a mark has a letter of its own. */
const letters: Readonly<Record<string, string>> = {
  ':': '\uE010',
  '-': '\uE011',
  '.': '\uE012',
  _: '\uE013',
};
const joined = (text: string): string => text.replaceAll(/[:._-]/g, (sign) => letters[sign] ?? sign);

/** Text without the characters that marks begin with: nobody can write a mark, or search for one. */
export const withoutMarks = (text: string): string => text.replaceAll(/[\uE000-\uE002]/g, ' ');

export const blockMark = (position: number): string => `\uE000${Math.floor(position / blockSize)}`;
/** The first position of the block that a position is in. */
export const blockStart = (position: number): number => position - (position % blockSize);
/** `scope`: a stored key. */
export const scopeMark = (scope: string): string => `\uE001${joined(scope)}`;
export const senderMark = (sender: string): string => `\uE002${joined(sender)}`;

export interface IndexedMessage {
  seq: number;
  title: string | null;
  body: string;
  /** Stored key. */
  scope: string;
  sender: string;
}

/** The marks keep a phrase from beginning in the title and ending in the body. */
export function indexedWords({ seq, title, body, scope, sender }: IndexedMessage): string {
  const marks = `${blockMark(seq)} ${scopeMark(scope)} ${senderMark(sender)}`;
  const words = (text: string): string => searchableText(withoutMarks(text));
  return `${title === null ? '' : `${words(title)} `}${marks} ${words(body)}`;
}

/** The row of `index_progress` that says that the full-text index is damaged. */
export const indexDamage = 'damaged';
