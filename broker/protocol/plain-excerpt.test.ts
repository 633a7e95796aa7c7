import { describe, expect, it } from 'vitest';
import { plainExcerpt } from './plain-excerpt.ts';

describe('an excerpt', () => {
  it.each([
    ['a plain sentence', 'Draw the coast.', 'Draw the coast.'],
    ['an empty text', ' \n\n', ''],
    ['lines and paragraphs', 'One\ntwo\r\n\r\nthree', 'One two three'],
    ['headings', '# Result\n## Merged', 'Result Merged'],
    ['an underlined heading', 'Result\n======\nMerged\n---', 'Result Merged'],
    ['lists', '- one\n* two\n  + three\n1. four\n2) five', 'one two three four five'],
    ['a checklist', '- [ ] sail\n- [x] mast', 'sail mast'],
    ['quotes', '> > said\n> - item', 'said item'],
    ['a rule', 'above\n\n* * *\n\nbelow', 'above below'],
    [
      'emphasis',
      '**bold** *light* __strong__ _soft_ ***both*** ~~gone~~',
      'bold light strong soft both gone',
    ],
    ['emphasis in emphasis', '**a *b* c** and _**d**_', 'a b c and d'],
    ['emphasis around a name', '_the snake_case name_', 'the snake_case name'],
    ['a link', 'See [the **chart**](https://x.example/a_(b) "title").', 'See the chart.'],
    ['an address in angle brackets', 'At <https://x.example/a_b_c>', 'At https://x.example/a_b_c'],
    ['an image', '![The bay](https://x.example/b.png) is deep', 'The bay is deep'],
    ['an image in a link', '[![The bay](b.png)](https://x.example)', 'The bay'],
    ['code in a line', 'Run `git **log**` and ``a`` now', 'Run git **log** and a now'],
    ['a block of code', 'Run:\n```sh\nls *.ts # *all*\n```\nthen', 'Run: ls *.ts # *all* then'],
    ['a block of code without an end', '~~~\n- a', '- a'],
    ['a table', '| Name | Depth |\n|---|--:|\n| bay | 3 |', 'Name Depth bay 3'],
    ['a table without outer lines', 'Name | Depth\n--- | ---\nbay | 3', 'Name Depth bay 3'],
    ['escaped signs', String.raw`\*not light\* and 1\. first`, '*not light* and 1. first'],
    ['a link that was cut off', 'See [the chart](https://x.exam', 'See the chart'],
    ['marks that were cut off', 'It is **very dee', 'It is very dee'],
  ])('has no marks of Markdown: %s', (_, markdown, text) => {
    expect(plainExcerpt(markdown)).toBe(text);
  });

  it.each([
    '2 * 3 * 4 = 24',
    'src/*.ts and *.js',
    'snake_case_name and __init',
    'a | b || c',
    '#general has 1.5 m, ~5 to ~6',
    'an array[0][1] and [a] note (b)',
    '<b>raw HTML</b> is shown as text',
  ])('keeps signs that are no marks: %s', (text) => {
    expect(plainExcerpt(text)).toBe(text);
  });

  it('ends with an ellipsis if something is left out, and splits no character', () => {
    expect(plainExcerpt('one two three', 8)).toBe('one two…');
    expect(plainExcerpt('one two', 7)).toBe('one two');
    expect(plainExcerpt(`${'x'.repeat(8)}😀y`, 10)).toBe('xxxxxxxx…');
    expect(plainExcerpt(`Short${' '.repeat(10_000)}`)).toBe('Short…');
  });

  it('takes no placeholder from the text', () => {
    expect(plainExcerpt('a\x000\0b `c`')).toBe('a0b c');
  });

  const hostile = [
    '`',
    '*',
    '_',
    '**a ',
    '_a ',
    '[',
    '![',
    '[a](',
    '[a](x(',
    '[[a]',
    '<http:',
    '> ',
    '|',
    '~',
    '\\',
    ' #',
    '\0',
    '```\n',
    '- ',
  ];
  it.each(hostile)('is one short line for a megabyte of %j', (part) => {
    const text = part.repeat(1_000_000 / part.length);
    const excerpt = plainExcerpt(text);
    expect(excerpt.length).toBeLessThanOrEqual(200);
    expect(excerpt).not.toContain('\n');
  });
});
