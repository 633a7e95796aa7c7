/** The input and output of chat: a terminal with a prompt, or plain lines. */
import process from 'node:process';
import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { limits } from '#protocol/limits.ts';
import { CommandFailure } from '../command-failure.ts';
import { print, remark } from '../output.ts';
import { oneLine } from '../terminal-text.ts';

/** The input of a person: one line, or a pasted text of several lines. */
export interface Entered {
  text: string;
  /** Never a command, whatever it begins with. */
  isText: boolean;
}

export interface Screen {
  /** Whether typed text appears where messages are shown. */
  readonly showsTyping: boolean;
  setPrompt(prompt: string): void;
  show(text: string): void;
  /** A line about the connection, not part of the conversation. */
  status(text: string): void;
  /** The inputs, from the creation of the screen to the end of the input. */
  lines(): AsyncIterable<Entered>;
  /** The inputs that have not been taken from `lines`. */
  readonly left: readonly string[];
  /** Takes everything that is left. */
  discard(): readonly string[];
  close(): void;
}

/** Lines end at LF or CR LF only: U+2028 within a message is text. */
export function createPlainScreen(input: AsyncIterable<Uint8Array> & { destroy(): unknown }): Screen {
  return {
    ...createOutputScreen(),
    async *lines() {
      for await (const text of linesOf(input)) yield { text, isText: true };
    },
    close: () => input.destroy(),
  };
}

/** Shows messages and does not touch standard input, which may belong to a script. */
export function createOutputScreen(): Screen {
  const closed = Promise.withResolvers<void>();
  return {
    showsTyping: false,
    setPrompt: () => undefined,
    show: print,
    status: remark,
    // biome-ignore lint/correctness/useYield: nothing is entered here
    async *lines() {
      await closed.promise;
    },
    left: [],
    discard: () => [],
    close: () => closed.resolve(),
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
  /** Returns the whole lines to which Tab could complete this one. */
  complete?: (line: string) => string[];
  /** Ctrl+C. */
  onInterrupt(): void;
}

const bracketedPaste = { on: '\x1b[?2004h', off: '\x1b[?2004l' };

/**
 * Messages appear above the prompt, and the typed text stays as it is. The terminal marks what is pasted, so
 * that a text of several lines waits for Enter and is one message.
 */
export function createPromptScreen(options: PromptOptions): Screen {
  const { prompt, input = process.stdin, output = process.stdout, complete, onInterrupt } = options;
  const editor = createInterface({
    input,
    output,
    prompt,
    terminal: true,
    completer: (line: string) => [complete?.(line) ?? [], line],
  });
  const entered = createQueue();
  let open = true;
  let isPasting = false;
  let pasted: string[] = [];

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
  const status = (text: string): void => show(`* ${text}`);

  function onPaste(begins: boolean): void {
    isPasting = begins;
    // A tab in a pasted text is text.
    Object.assign(editor, { isCompletionEnabled: !begins });
    if (begins || pasted.length === 0) return;
    const count = pasted.length + (editor.line === '' ? 0 : 1);
    const lines = count === 1 ? 'The pasted line waits' : `The ${count} pasted lines wait as one message`;
    status(`${lines}. Press Enter to send, or Ctrl+C to discard.`);
  }

  editor.on('line', (line) => {
    if (isPasting) {
      pasted.push(line);
      return;
    }
    const text = [...pasted, line].join('\n').replace(/\n+$/, '');
    pasted = [];
    entered.add({ text, isText: text.includes('\n') });
    if (open) editor.prompt();
  });
  editor.on('SIGINT', () => {
    if (pasted.length === 0) return onInterrupt();
    pasted = [];
    editor.write(null, { ctrl: true, name: 'e' });
    editor.write(null, { ctrl: true, name: 'u' });
    status('The pasted text was discarded.');
  });
  editor.on('close', () => {
    open = false;
    output.write(`${bracketedPaste.off}\n`);
    if (pasted.length > 0) status(`not sent: "${oneLine(pasted.join('\n'))}"`);
    entered.end();
  });
  input.on('keypress', (_, key: { name?: string } | undefined) => {
    if (key?.name === 'paste-start' || key?.name === 'paste-end') onPaste(key.name === 'paste-start');
  });
  output.write(bracketedPaste.on);
  editor.prompt();

  return {
    showsTyping: true,
    setPrompt(text) {
      editor.setPrompt(text);
      if (open) editor.prompt(true);
    },
    show,
    status,
    lines: entered.taken,
    get left() {
      return entered.left();
    },
    discard() {
      const left = entered.left();
      entered.clear();
      return left;
    },
    close: () => editor.close(),
  };
}

/** Keeps what is entered until it is taken, also before anybody asks for it. */
function createQueue() {
  const waiting: Entered[] = [];
  let changed = Promise.withResolvers<void>();
  let isOver = false;
  function wake(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }
  return {
    add(one: Entered) {
      waiting.push(one);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    clear: () => void waiting.splice(0),
    left: () => waiting.map(({ text }) => text).filter((text) => text.trim() !== ''),
    async *taken() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (isOver) return;
        else await changed.promise;
      }
    },
  };
}
