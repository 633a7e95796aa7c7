/** The line of a search result without the marks of Markdown. Pure. */
import type { SearchResult } from '#protocol/search.ts';

type Snippet = Pick<SearchResult, 'snippet' | 'ranges'>;

/** The line below the head of a table. */
const rule = /\|(?:[ \t]*:?-+:?[ \t]*\|)+/g;
/** Fences, spans of code, bold text, and what begins a heading. */
const marks = /`+|\*\*+|(?<!\S)#{1,6}(?=\s)/g;

/** At the beginning, or after an empty line. Elsewhere, the sign may compare two things. */
const quoteAtStart = /^(…?)\s*(?:>\s?)+/;
const quotes = /(?<=\s{2})(?:>\s?)+/g;

/** Returns the line with the matches as they are, wherever they move to. */
export function plainSnippet({ snippet, ranges }: Snippet): Snippet {
  const isTable = snippet.search(rule) >= 0;
  let at = 0;
  const plain = (part: string): string => {
    const unquoted = (at === 0 ? part.replace(quoteAtStart, '$1') : part).replaceAll(quotes, '');
    const text = unquoted.replaceAll(rule, ' ').replaceAll(marks, ' ');
    return (isTable ? text.replaceAll('|', ' ') : text).replaceAll(/\s+/g, ' ');
  };
  let shown = '';
  const moved = ranges.map(([start, end]): [number, number] => {
    shown += plain(snippet.slice(at, start));
    const from = shown.length;
    shown += snippet.slice(start, end);
    at = end;
    return [from, shown.length];
  });
  return { snippet: shown + plain(snippet.slice(at)), ranges: moved };
}
