/** Determines what a search looks for, and how a match is shown (specification/search.md). Pure. */
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { withoutMarks } from './index-marks.rules.ts';
import { folded, type PlacedWord, placesIn, wordsOf } from './search-words.rules.ts';

/** Words that follow each other. A plain word is a phrase of one, and `log-in` and `部署` are phrases of two. */
export type Phrase = readonly string[];

/**
 * Returns the phrases of `q`: "quoted" text is one, and every other word is one of its own. Never query
 * syntax. @throws BrokerError bad_request.
 */
export function phrasesOf(q: string): Phrase[] {
  const phrases = withoutMarks(q)
    .split('"')
    .flatMap((part, index) => (index % 2 === 1 ? [part] : part.split(/\s+/u)))
    .map(wordsOf)
    .filter((words) => words.length > 0);
  if (phrases.length === 0) refuse('search_without_words');
  if (phrases.length > limits.search.terms)
    refuse('search_with_too_many_words', { max: limits.search.terms });
  return phrases;
}

/**
 * The index compares each place of a word with the whole phrase, which takes long if one word is repeated. It looks for
 * this many words, and `holdsAll` for the others.
 */
const maxIndexedWords = 8;

/** Only letters, digits, and marks remain in a word, so nothing inside can end the quotes. */
const quoted = (words: Phrase): string => `"${words.slice(0, maxIndexedWords).join(' ')}"`;

/**
 * Returns a full-text expression: all phrases in one column, at any distance. The index compares their words all at once, so that
 * the rarest of them decides what it costs.
 */
export const allOf = (phrases: readonly Phrase[]): string =>
  `NEAR(${phrases.map(quoted).join(' ')}, 1000000)`;

/**
 * Returns a full-text expression: all phrases in these columns, and the words of `within` in columns of their
 * own.
 */
export function matchExpression(
  columns: readonly string[],
  phrases: readonly Phrase[],
  within: Readonly<Record<string, string | undefined>> = {},
): string {
  const filters = Object.entries(within).flatMap(([column, text]) =>
    text === undefined ? [] : [`(${column} : ${quoted(wordsOf(text))})`],
  );
  return [`({${columns.join(' ')}} : (${phrases.map(quoted).join(' AND ')}))`, ...filters].join(' AND ');
}

/** For each word of the phrase: how many of the words up to it are also the words that it begins with (Knuth, Morris, and Pratt). */
function bordersOf(phrase: Phrase): number[] {
  const borders = [0];
  for (let at = 1, length = 0; at < phrase.length; at++) {
    while (length > 0 && phrase[at] !== phrase[length]) length = borders[length - 1] ?? 0;
    if (phrase[at] === phrase[length]) length++;
    borders.push(length);
  }
  return borders;
}

/** Returns a function that takes the words of a text one by one, and tells whether the phrase ends with the word. */
function phraseFinder(phrase: Phrase): (word: string) => boolean {
  const borders = bordersOf(phrase);
  let length = 0;
  return (word) => {
    if (length === phrase.length) length = borders[length - 1] ?? 0;
    while (length > 0 && phrase[length] !== word) length = borders[length - 1] ?? 0;
    if (phrase[length] === word) length++;
    return length === phrase.length;
  };
}

const finderOf = (phrase: Phrase): ((word: string) => boolean) => phraseFinder(phrase.map(folded));

/** Whether a text that the index found has the phrases that are longer than what the index looked for. */
export function holdsAll(text: string, phrases: readonly Phrase[]): boolean {
  let missing = phrases.filter((phrase) => phrase.length > maxIndexedWords).map(finderOf);
  if (missing.length === 0) return true;
  for (const { word } of placesIn(text)) {
    missing = missing.filter((ends) => !ends(word));
    if (missing.length === 0) return true;
  }
  return false;
}

/** Returns the first match and those that may be shown with it, in the order of their starts, the longest one first. */
function matches(text: string, phrases: readonly Phrase[]): [number, number][] {
  const places: PlacedWord[] = [];
  const finders = phrases.map((phrase) => ({
    length: phrase.length,
    ends: finderOf(phrase),
  }));
  const found: [number, number][] = [];
  let shownUpTo = Number.POSITIVE_INFINITY;
  for (const place of placesIn(text)) {
    const { word, start, end } = place;
    if (start > shownUpTo) break;
    places.push(place);
    for (const { length, ends } of finders) {
      const first = ends(word) ? places.at(-length) : undefined;
      if (first === undefined) continue;
      found.push([first.start, end]);
      shownUpTo = Math.min(shownUpTo, first.start + limits.search.snippetCharacters);
    }
  }
  return found.sort(([a, aEnd], [b, bEnd]) => a - b || bEnd - aEnd);
}

/** A start or an end is never within a surrogate pair. */
const whole = (text: string, at: number): number =>
  at > 0 && at < text.length && /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;

/** Returns where the line of the match begins, or else the first word after `from`. */
function beginOf(text: string, from: number, match: number): number {
  if (from === 0) return 0;
  const before = text.slice(from - 1, match);
  const line = before.lastIndexOf('\n');
  const gap = line < 0 ? before.search(/\s/) : line;
  return gap < 0 ? whole(text, from) : from + gap;
}

/**
 * Returns one line around the first match; `ranges` are the matches in it, in UTF-16 units, without overlaps.
 */
export function snippetOf(
  text: string,
  phrases: readonly Phrase[],
): { snippet: string; ranges: [number, number][] } {
  const found = matches(text, phrases);
  const length = limits.search.snippetCharacters;
  const first = found[0]?.[0] ?? 0;
  const from = beginOf(
    text,
    Math.max(0, Math.min(first - Math.floor(length / 4), text.length - length)),
    first,
  );
  const to = whole(text, Math.min(text.length, from + length));
  const before = from > 0 ? '…' : '';
  const shift = before.length - from;
  const ranges: [number, number][] = [];
  for (const [start, end] of found) {
    if (start < from || end > to || start + shift < (ranges.at(-1)?.[1] ?? 0)) continue;
    ranges.push([start + shift, end + shift]);
  }
  // Replaces one character by one, so that the ranges stay valid.
  const line = text.slice(from, to).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
  return { snippet: before + line + (to < text.length ? '…' : ''), ranges };
}
