/** Asks for a passphrase without showing it, or takes it from SVC_BACKUP_PASSPHRASE. */
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Env } from '#protocol/paths.ts';
import { CommandFailure } from './command-failure.ts';

/** The terminal shows the question, and nothing of the answer. */
async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({ input: process.stdin, output: silent, terminal: true });
  const stopped = new Promise<never>((_resolve, reject) => {
    asking.once('SIGINT', () => reject(new CommandFailure('stopped')));
    asking.once('close', () => reject(new CommandFailure('stopped')));
  });
  try {
    return await Promise.race([asking.question(''), stopped]);
  } finally {
    asking.close();
    process.stderr.write('\n');
  }
}

/** `isNew`: it is asked for twice, and must have `min` characters. @throws CommandFailure without a terminal. */
export async function readPassphrase(
  env: Env,
  question: string,
  options: { isNew: boolean; min: number },
): Promise<string> {
  const given = env.SVC_BACKUP_PASSPHRASE;
  if (given === undefined && !process.stdin.isTTY)
    throw new CommandFailure('there is no terminal to ask for the passphrase. Set SVC_BACKUP_PASSPHRASE.');
  const passphrase = given ?? (await askHidden(`${question}: `));
  if (!options.isNew) return passphrase;
  if ([...passphrase].length < options.min)
    throw new CommandFailure(`the passphrase must have at least ${options.min} characters`);
  if (given === undefined && (await askHidden('Again: ')) !== passphrase)
    throw new CommandFailure('the two passphrases differ. Nothing was written.');
  return passphrase;
}
