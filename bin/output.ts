/** The output of the command: results on standard output, and remarks on standard error. */
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import { oneLine } from './terminal-text.ts';

/** Receives whole lines, each text with its last line feed. */
export interface OutputTarget {
  print(text: string): void;
  remark(text: string): void;
}

const terminal: OutputTarget = {
  print: (text) => void process.stdout.write(text),
  remark: (text) => void process.stderr.write(text),
};
let target = terminal;

/** Sends results and remarks there; null: to standard output and standard error, as usual. */
export function sendOutputTo(other: OutputTarget | null): void {
  target = other ?? terminal;
}

export const print = (text: string): void => target.print(`${text}\n`);

const unsafeInJson = /[\u007f-\u009f\u2028\u2029]/g;
const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Prints the API's answer as one JSON document. JSON escapes control characters below U+0020 by itself; the
 * others are escaped here.
 */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined);
  print(text.replace(unsafeInJson, escaped));
}

/** Prints one JSON document in one line, also on a terminal. */
export function printJsonLine(value: unknown): void {
  print(JSON.stringify(value).replace(unsafeInJson, escaped));
}

export const remark = (text: string): void => target.remark(`${text}\n`);

/** Prints a failure in one line, whatever remote text it contains, and never a token. */
export function complain(text: string): void {
  remark(`muster: ${oneLine(text.replace(/svc_[\w-]{20,}/g, 'svc_…'))}`);
}

/** Ends the command with this exit code when nobody reads its output. */
let end = (code: number): void => process.exit(code);

export const endOutput = (code: number): void => end(code);

/** A command that must clean up ends itself, in the place of an immediate exit. */
export function endOutputWith(ending: (code: number) => void): void {
  end = ending;
}

/**
 * Exits without an error if the reader closes the pipe (`muster recent | head`), and with 1 and a remedy if the output cannot be
 * written, for example to a full disk.
 */
export function endOnFailedOutput(): void {
  // A remark that nobody can read must not end a broker, for example when its log fills the disk.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      end(0);
      return;
    }
    complain(
      `the output cannot be written (${reasonOf(error)}). Free some space, or write the output to another place, and repeat the command.`,
    );
    end(1);
  });
}
