/** Where chat shows and reads: a terminal with a prompt, or plain lines. */
import { on } from 'node:events';
import process from 'node:process';
import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { limits } from '#protocol/limits.ts';
import { CommandFailure } from '../command-failure.ts';
import { print, remark } from '../output.ts';

export interface Screen {
  /** Whether typed text appears where messages are shown. */
  readonly showsTyping: boolean;
  show(text: string): void;
  /** A line about the connection, not part of the conversation. */
  status(text: string): void;
  /** The typed text, line by line, until its end. */
  lines(): AsyncIterable<string>;
  close(): void;
}

/** Lines end at LF or CR LF only: U+2028 within a message is text. */
export function createPlainScreen(input: AsyncIterable<Uint8Array> = process.stdin): Screen {
  return {
    showsTyping: false,
    show: print,
    status: remark,
    lines: () => linesOf(input),
    close: () => process.stdin.destroy(),
  };
}

export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield part.replace(/\r$/, '');
    if (rest.length > limits.body.json)
      throw new CommandFailure(
        `a line is longer than ${limits.message.body} characters and was not sent. Split it into several messages.`,
      );
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

export interface PromptOptions {
  prompt: string;
  input?: Readable;
  output?: Writable;
  /** Ctrl+C. */
  onInterrupt(): void;
}

/** Messages appear above the prompt, and the typed text stays as it is. */
export function createPromptScreen(options: PromptOptions): Screen {
  const { prompt, input = process.stdin, output = process.stdout, onInterrupt } = options;
  const editor = createInterface({ input, output, prompt, terminal: true });
  let open = true;
  editor.on('SIGINT', onInterrupt);
  editor.on('close', () => {
    open = false;
    output.write('\n');
  });

  function show(text: string): void {
    if (!open) {
      output.write(`${text}\n`);
      return;
    }
    moveCursor(output, 0, -editor.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    output.write(`${text}\n`);
    // The editor moves up by the rows that it drew last and clears from there, which would now clear the
    // message.
    Object.assign(editor, { prevRows: 0 });
    editor.prompt(true);
  }

  return {
    showsTyping: true,
    show,
    status: (text) => show(`* ${text}`),
    async *lines() {
      const typed = on(editor, 'line', { close: ['close'] });
      editor.prompt();
      for await (const [line] of typed) {
        if (open) editor.prompt();
        yield String(line);
      }
    },
    close() {
      editor.close();
    },
  };
}
