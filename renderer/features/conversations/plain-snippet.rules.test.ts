import { expect, it } from 'vitest';
import { plainSnippet } from './plain-snippet.rules.ts';

/** Marks the matches of a line with square brackets. */
function shown(line: string): string {
  const ranges: [number, number][] = [];
  let snippet = '';
  for (const part of line.split(/(\[[^\]]*\])/)) {
    const isMatch = part.startsWith('[');
    const text = isMatch ? part.slice(1, -1) : part;
    if (isMatch) ranges.push([snippet.length, snippet.length + text.length]);
    snippet += text;
  }
  const result = plainSnippet({ snippet, ranges });
  return result.ranges.toReversed().reduce((text, [start, end]) => {
    return `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`;
  }, result.snippet);
}

it('keeps the words and the matches of a result, and no marks of Markdown', () => {
  for (const [line, words] of [
    [
      '…in `archive/2019` ``` make chart [SHEET]=4 ``` > quoted | [sheet] | state | |---|:-:| | 4 |',
      '…in archive/2019 make chart [SHEET]=4 > quoted [sheet] state 4 ',
    ],
    ['## The **[sheet]** of a_b and 2 * 3', ' The [sheet] of a_b and 2 * 3'],
    ['a | b || c and x > y #[tag] #other', 'a | b || c and x > y #[tag] #other'],
    ['> quoted [sheet] > 4', 'quoted [sheet] > 4'],
    ['…> > quoted  > [sheet]', '…quoted [sheet]'],
    ['[sheet] > 4', '[sheet] > 4'],
    ['no match at all', 'no match at all'],
    ['[`all`]', '[`all`]'],
  ] as const)
    expect(shown(line)).toBe(words);
});
