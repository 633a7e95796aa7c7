import { expect, it } from 'vitest';
import { isMarkdown } from './markdown-bounds.ts';

it('a usual text is read as Markdown', () => {
  expect(isMarkdown('# News\n\n- one\n  - two\n\n> said')).toBe(true);
});

it('a text that is too long is shown as it was written', () => {
  expect(isMarkdown('x'.repeat(16_000))).toBe(true);
  expect(isMarkdown('x'.repeat(16_001))).toBe(false);
});

it.each([
  ['quotes', '> '.repeat(25)],
  ['quotes without spaces', '>'.repeat(26)],
  ['lists', '- '.repeat(25)],
  ['numbered lists', '1. '.repeat(25)],
])('%s that are nested too deep are shown as they were written', (_case, opening) => {
  expect(isMarkdown(`${opening}x`)).toBe(false);
});
