import { describe, expect, it } from 'vitest';
import { cutTo, displayWidth } from './display-width.ts';

describe('the width of a text', () => {
  it.each([
    ['plain', 5],
    ['Grüße', 5],
    ['e\u0301', 1],
    ['日本語', 6],
    ['ｶﾅ', 2],
    ['한글', 4],
    ['🚀', 2],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['🇩🇪', 2],
    ['→', 1],
    ['', 0],
  ])('of "%s" is %d columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

it.each([
  [5, 'plain', 'plain'],
  [4, 'plain', 'pla…'],
  [4, '日本語', '日…'],
  [5, '日本語', '日本…'],
  [4, 'a 👩‍👩‍👧 b', 'a…'],
  [4, 'ab cd', 'ab…'],
])('a text for %d columns is cut between characters: "%s"', (columns, text, cut) => {
  expect(cutTo(columns, text)).toBe(cut);
});
