/** Questions to a person at a terminal. They are asked on standard error, so that standard output has only results. */
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from './command-failure.ts';

/** Whether there is a person who can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** @throws CommandFailure on Ctrl+C and Ctrl+D. */
export async function ask(question: string, output: NodeJS.WritableStream = process.stderr): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const closed = new AbortController();
  lines.on('SIGINT', () => lines.close());
  lines.on('close', () => closed.abort());
  if (output !== process.stderr) process.stderr.write(question);
  try {
    return (await lines.question(question, { signal: closed.signal })).trim();
  } catch {
    process.stderr.write('\n');
    throw new CommandFailure('stopped, and nothing was changed.');
  } finally {
    lines.close();
  }
}

/** As `ask`, but shows nothing of the answer. */
export async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await ask(question, nowhere);
  process.stderr.write('\n');
  return answer;
}

/** No unless the answer is yes. */
export const confirms = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test(await ask(`${question} [y/N]: `));

/** Asks before a change that cannot be undone, if there is somebody to ask. @throws CommandFailure if the answer is no. */
export async function confirmed(question: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed || !canAsk() || (await confirms(question))) return;
  throw new CommandFailure('nothing was changed.');
}
