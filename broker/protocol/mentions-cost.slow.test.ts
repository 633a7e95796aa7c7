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

  it.each([
    ['a destination', '[a](', ' ', 'x'],
    ['a destination and a title', '[a](b', ' ', 'x'],
    ['a link', '[a](b "c"', '\u00a0', 'x'],
    ['a definition', '[a]: x', ' ', 'y'],
    ['a definition and a title', '[a]: x', '\t', '"y'],
    ['a label', '[a]: b\n\n[', '\n[', ']'],
  ])('prose is found where much may follow %s', (_place, before, piece, after) => {
    const proseInFilled = (length: number): unknown =>
      proseOfMarkdown(`${before}${piece.repeat(length)}${after}`);
    expect(cpuGrowth(proseInFilled)).toBeLessThan(proportional);
  });

  it('prose is found in brackets within brackets', () => {
    const proseInFilled = (length: number): unknown =>
      proseOfMarkdown(`[z]: y\n\n${'[ '.repeat(length / 2)}${']'.repeat(length / 2)}`);
    expect(cpuGrowth(proseInFilled)).toBeLessThan(proportional);
  });
});
