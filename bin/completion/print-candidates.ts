/** `muster completion words …`, which the scripts of the shells call. */
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrokerClient } from '#protocol/client.ts';
import { keepCompiledCode } from '../compile-cache.js';
import { endOnFailedOutput } from '../output.ts';
import { oneLine } from '../terminal-text.ts';
import { type Candidate, candidatesFor } from './candidates.ts';
import { liveNames } from './live-names.ts';

const patienceMs = 1000;

/**
 * Prints one candidate per line, with a tab before its description. A failure, also of the broker, prints
 * nothing, because its text would appear in the command line that somebody is writing.
 *
 * @param words as in `candidatesFor`; `""` stands for an empty word.
 */
export async function printCandidates(words: readonly string[]): Promise<void> {
  endOnFailedOutput();
  const known = words.map((word) => (word === '""' ? '' : word));
  const found = await Promise.race([
    candidatesFor(
      known,
      liveNames(() => connect(known)),
    ).catch((): Candidate[] => []),
    pause(patienceMs, [] as Candidate[]),
  ]);
  const lines = found.map(({ value, text }) => `${value}${text === undefined ? '' : `\t${oneLine(text)}`}\n`);
  keepCompiledCode();
  // Otherwise, a broker that does not answer would keep the process alive.
  process.stdout.write(lines.join(''), () => process.exit());
}

/** With the saved token, at the address that the command line names. */
async function connect(words: string[]): Promise<BrokerClient> {
  const { connectToBroker } = await import('../broker-connection.ts');
  const at = words.indexOf('--url');
  const url = at < 0 ? undefined : words[at + 1];
  const values = { ...(url && { url }), 'insecure-http': words.includes('--insecure-http') };
  return (await connectToBroker(values, process.env)).client;
}
