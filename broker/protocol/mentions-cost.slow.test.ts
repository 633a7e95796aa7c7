import { describe, expect, it } from 'vitest';
import { cpuGrowth, proportional } from '#platform/testing/cpu-growth.ts';
import { proseOfMarkdown } from './markdown-prose.ts';
import { mentionsIn } from './mentions.ts';

describe('in linear time', () => {
  it.each(['a.', '@a', '@', '_', 'a.a/', 'https://'])('mentions are found in a text of %j', (piece) => {
    const mentionsInFilled = (length: number): unknown => mentionsIn(`@${piece.repeat(length)}`);
    expect(cpuGrowth(mentionsInFilled)).toBeLessThan(proportional);
  });

  it.each([
    ...[
      '`',
      '`a',
      '` `` ',
      '[',
      ']',
      '[a](',
      '[a](b ',
      '](<',
      '[a](b "',
      '![',
      '<a',
      '<a:',
      '\\',
      'a.a/',
      'www.',
    ],
    ...['https://', '@a\n', '* a\n', '-\n', '\t', '[a]: b\n', '[a][b] ', '[a]: b\n[a] ', '``` x\n', '| a '],
  ])('prose is found in a text of %j', (piece) => {
    const proseInFilled = (length: number): unknown => proseOfMarkdown(piece.repeat(length / piece.length));
    expect(cpuGrowth(proseInFilled)).toBeLessThan(proportional);
  });
});
