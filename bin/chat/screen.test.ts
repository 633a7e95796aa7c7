import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { drained } from '../testing/drained.ts';
import { createPromptScreen, linesOf } from './screen.ts';

async function read(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  async function* input() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
  }
  return Array.fromAsync(linesOf(input()));
}

describe('lines of a pipe', () => {
  it('end at LF or CR LF; the last one needs no line ending', async () => {
    expect(await read('a\nb\r\n\nc')).toEqual(['a', 'b', '', 'c']);
  });

  it('are not cut at U+2028, nor within a character that arrives in two parts', async () => {
    const bytes = new TextEncoder().encode('grüße\u2028👋\n');
    expect(await read(bytes.slice(0, 3), bytes.slice(3, 10), bytes.slice(10))).toEqual(['grüße\u2028👋']);
  });

  it('are refused if they are longer than a message may be', async () => {
    await expect(read('x'.repeat(1024 * 1024 + 1))).rejects.toThrow('longer than 65536 characters');
  });
});

describe('the prompt', () => {
  function open() {
    const input = new PassThrough();
    const output = new PassThrough();
    let interrupts = 0;
    const screen = createPromptScreen({ prompt: 'ada> ', input, output, onInterrupt: () => interrupts++ });
    const drawn = () => drained(output).toString();
    return { input, screen, drawn, interrupts: () => interrupts };
  }

  it('keeps the typed text below a message that arrives', async () => {
    const { input, screen, drawn } = open();
    const lines = screen.lines()[Symbol.asyncIterator]();
    const first = lines.next();
    input.write('half');
    await new Promise(setImmediate);
    drawn();
    screen.show('a message');
    expect(drawn()).toMatch(/a message\n.*ada> half/s);
    input.write(' and whole\r');
    expect((await first).value?.text).toBe('half and whole');
    screen.close();
  });

  it('clears no message above a text of two rows, for which it sets a field of the editor of Node', async () => {
    const input = new PassThrough();
    const output = Object.assign(new PassThrough(), { columns: 20 });
    const screen = createPromptScreen({ prompt: 'ada> ', input, output, onInterrupt: () => undefined });
    const first = screen.lines()[Symbol.asyncIterator]().next();
    input.write('a text that fills two rows');
    await new Promise(setImmediate);
    // Now the editor has drawn both rows.
    screen.show('an earlier message');
    drained(output);
    screen.show('a message');
    const below = drained(output).toString().split('a message\n')[1];
    expect(below).toContain('a text that fills two rows');
    const oneRowUp = '\x1b[1A';
    expect(below).not.toContain(oneRowUp);
    screen.close();
    await first;
  });

  it('ends at Ctrl+D and reports Ctrl+C', async () => {
    const { input, screen, interrupts } = open();
    const lines = screen.lines()[Symbol.asyncIterator]();
    const first = lines.next();
    input.write('\x03');
    input.write('\x04');
    expect((await first).done).toBe(true);
    expect(interrupts()).toBe(1);
  });
});
