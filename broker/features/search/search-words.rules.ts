/**
 * The words of a text, for its index and for a search (specification/search.md#words). Pure. The index's tokenizer takes a run of letters for
 * one word. Text in scripts that do not separate words is therefore indexed with a space around each character, and a search
 * for some of it is a phrase of its characters.
 */

/** Hangul has spaces, but particles attach to its words. The characters at the end belong to several scripts. */
const unspaced = String.raw`[[\p{L}\p{N}\p{M}]&&[
  \p{sc=Hani}\p{sc=Bopo}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Yiii}
  \p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tale}\p{sc=Talu}\p{sc=Lana}\p{sc=Tavt}\p{sc=Java}\p{sc=Bali}
  \u3006\u302a-\u302f\u3031-\u3035\u303c\u3099\u309a\u30fc
]]`.replaceAll(/\s/g, '');
const unspacedRun = new RegExp(`${unspaced}+`, 'gv');
const isUnspaced = new RegExp(`^${unspaced}$`, 'v');

/** Splits words as the index's tokenizer does: letters, digits, private use, and their marks. */
const word = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu;
/** The same in text that has no spaces around the characters of unspaced scripts. */
const placedWord = new RegExp(
  `${unspaced}|[[\\p{L}\\p{N}\\p{Co}]--${unspaced}][[\\p{L}\\p{N}\\p{Co}\\p{M}]--${unspaced}]*`,
  'gv',
);

/** No language has more marks on a character, and the time that it takes to order marks grows with the square of their number. */
const maxMarks = 30;
/** Marks, and half-width signs that normalization makes marks. */
const mark = String.raw`[\p{M}\uff9e\uff9f]`;
const excessMarks = new RegExp(`(${mark}{${maxMarks}})${mark}+`, 'gu');
const withoutExcess = (text: string): string => text.replaceAll(excessMarks, '$1');

/** Some characters stand for up to 18. A long text of them is left as it is, so that the time to index it is bounded by its length. */
const formOf = (text: string): 'NFKC' | 'NFC' =>
  text.normalize('NFKC').length > 2 * text.length + 200 ? 'NFC' : 'NFKC';
function normalized(text: string): string {
  const shorter = withoutExcess(text);
  return shorter.normalize(formOf(shorter));
}

/** In the place of vowel signs and the like, which separate words for the tokenizer, the index has letters of plane 15. */
const letterOf = (character: string): string =>
  /[\p{M}\p{sc=Talu}]/u.test(character)
    ? String.fromCodePoint(0xf_0000 + (character.codePointAt(0) ?? 0))
    : character;

export const searchableText = (text: string): string =>
  normalized(text).replaceAll(unspacedRun, (run) => ` ${Array.from(run, letterOf).join(' ')} `);

export const wordsOf = (text: string): string[] => searchableText(text).match(word) ?? [];

/** Compares words as the index does, without case and diacritics. */
export const folded = (one: string): string =>
  isUnspaced.test(one) ? one : one.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Leading consonants, vowels, and final consonants, which are one syllable when they are normalized. */
const syllable = String.raw`[\u1100-\u115f\u3131-\u314e\uffa1-\uffbe][\u1160-\u11a7\u314f-\u3163\uffc2-\uffdc]?[\u11a8-\u11ff]?|[가-힣][\u11a8-\u11ff]?`;
/** Common characters that stay as they are when they are normalized, and other ones, with what may change with them. */
const piece = new RegExp(
  String.raw`[\0-\x7f\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff가-힣]+(?!${mark}|[\u11a8-\u11ff])|(?<changing>(?:${syllable}|.)${mark}*)`,
  'gsu',
);

interface Place {
  /** In the text as it is, in UTF-16 units. */
  start: number;
  end: number;
}

/** Returns the normalized text, and for its characters, asked for in their order, their places in the text. */
function originsIn(text: string): { changed: string; originOf: (at: number) => Place } {
  if (normalized(text) === text) return { changed: text, originOf: (at) => ({ start: at, end: at + 1 }) };
  const form = formOf(withoutExcess(text));
  let changed = '';
  const pieces: (Place & { at: number; isPlain: boolean })[] = [];
  for (const { 0: from, index, groups } of text.matchAll(piece)) {
    const isPlain = groups?.changing === undefined;
    pieces.push({ at: changed.length, start: index, end: index + from.length, isPlain });
    changed += isPlain ? from : withoutExcess(from).normalize(form);
  }
  let current = 0;
  return {
    changed,
    originOf(at) {
      while ((pieces[current + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) current++;
      const found = pieces[current];
      if (found === undefined) return { start: 0, end: text.length };
      const start = found.start + at - found.at;
      return found.isPlain ? { start, end: start + 1 } : found;
    },
  };
}

export interface PlacedWord extends Place {
  /** Folded. */
  word: string;
}

/** Yields them one by one, because most readers need only the first ones of a long text. */
export function* placesIn(text: string): Generator<PlacedWord> {
  const { changed, originOf } = originsIn(text);
  for (const { 0: found, index } of changed.matchAll(placedWord))
    yield {
      start: originOf(index).start,
      end: originOf(index + found.length - 1).end,
      word: isUnspaced.test(found) ? letterOf(found) : folded(found),
    };
}
