import { expect, it } from 'vitest';
import { isMarkdown } from './markdown-bounds.ts';

it('reads a usual text as Markdown', () => {
  expect(isMarkdown('# News\n\n- one\n  - two\n\n> said')).toBe(true);
});

it('shows a text that is too long as plain text', () => {
  expect(isMarkdown('x'.repeat(16_000))).toBe(true);
  expect(isMarkdown('x'.repeat(16_001))).toBe(false);
});

it.each([
  ['quotes', '> '.repeat(25)],
  ['quotes without spaces', '>'.repeat(26)],
  ['lists', '- '.repeat(25)],
  ['numbered lists', '1. '.repeat(25)],
])('shows %s that are nested too deeply as plain text', (_case, opening) => {
  expect(isMarkdown(`${opening}x`)).toBe(false);
});
