import { expect, test } from 'vitest';
import { type AgentLine, maxLines, shownText, withLine } from './agent-lines.rules.ts';

const line = (n: number, text = 'x'): AgentLine => ({ n, source: 'log', text });

test('keeps the newest lines up to the maximum number', () => {
  let lines: AgentLine[] = [];
  for (let n = 0; n < maxLines + 10; n++) lines = withLine(lines, line(n));
  expect(lines.length).toBe(maxLines);
  expect([lines[0]?.n, lines.at(-1)?.n]).toEqual([10, maxLines + 9]);
});

test('drops more lines if they are long, but always keeps the newest one', () => {
  let lines: AgentLine[] = [];
  for (let n = 0; n < 200; n++) lines = withLine(lines, line(n, 'y'.repeat(4000)));
  expect(lines.length).toBe(65);
  expect(withLine(lines, line(200, 'z'.repeat(300_000))).map(({ n }) => n)).toEqual([200]);
});

test('removes characters with which an agent could rewrite what a person reads', () => {
  expect(shownText('a\u001b[2J\u202eb\tc\u2028')).toBe('a[2Jb    c');
  expect(shownText('x'.repeat(10_000)).length).toBe(4097);
});
