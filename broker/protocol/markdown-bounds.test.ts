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

it('shows a text with lines that end with a carriage return and are nested too deeply as plain text', () => {
  expect(isMarkdown(`x\r${'> '.repeat(25)}x`)).toBe(false);
});

const fences = (count: number, fence: string, end = '\n') => `${fence}${end}`.repeat(count);

it.each([
  ['of backticks', '```', '\n'],
  ['of tildes', '~~~', '\n'],
  ['with a language', '```ts', '\n'],
  ['longer than needed', '`````', '\n'],
  ['that are indented', '   ```', '\n'],
  ['in quotes', '> ```', '\n'],
  ['in quotes without a space', '>```', '\n'],
  ['in lists', '- ```', '\n'],
  ['in numbered lists', '1. ```', '\n'],
  ['after a carriage return', '```', '\r'],
  ['after both ends of a line', '```', '\r\n'],
])('shows a text with more than 100 fences %s as plain text', (_case, fence, end) => {
  expect(isMarkdown(fences(100, fence, end))).toBe(true);
  expect(isMarkdown(fences(101, fence, end))).toBe(false);
});

it('does not count code within a line as a fence', () => {
  expect(isMarkdown('say ```so```\n\n``x``\n\n'.repeat(200))).toBe(true);
});
