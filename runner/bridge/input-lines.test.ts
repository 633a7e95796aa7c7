import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readLines } from './input-lines.ts';

function read(chunks: readonly string[], maxBytes = 100): string[] {
  const input = new PassThrough();
  const lines: string[] = [];
  readLines(input, { maxBytes, onLine: (line) => lines.push(line), onLong: () => lines.push('too long') });
  for (const chunk of chunks) input.emit('data', Buffer.from(chunk));
  return lines;
}

it('splits on line feeds only, wherever the chunks end', () => {
  expect(read(['a\u2028', 'b\n', '\n\nc', '\nd'])).toEqual(['a\u2028b', '', '', 'c']);
});

it('leaves out a line that is too long, and reads the next one', () => {
  expect(read(['12345\n', '12', '34', '56', '78', '\n', 'x\n'], 5)).toEqual(['12345', 'too long', 'x']);
});
