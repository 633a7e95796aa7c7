/**
 * `muster <verb> …`: finds the verb, runs it, and turns every ending into an exit code
 * (specification/command-line.md#conventions).
 */

import { nearestWord } from '#platform/nearest-word.ts';
import manifest from '../package.json' with { type: 'json' };
import { overview } from './help-text.ts';
import { complain, print, remark } from './output.ts';
import { withoutOutputOptions } from './output-options.ts';
import { paged } from './paging.ts';
import { runVerb } from './run-verb.ts';
import { verbTable } from './verb-table.ts';

const usageExit = 64;
const listRemedy = 'Run "muster --help" for the list of verbs.';

/** @param argv the words after `svc`. Resolves with the exit code. */
export function main(argv: string[]): Promise<number> {
  const words = withoutOutputOptions(argv);
  return paged(words, () => dispatch(words));
}

async function dispatch([first, ...rest]: string[]): Promise<number> {
  if (first === undefined) {
    remark(overview(verbTable));
    return usageExit;
  }
  if (first === '--version' || first === '-V') {
    print(manifest.version);
    return 0;
  }
  if (first === 'completion' && rest[0] === 'words') {
    const { printCandidates } = await import('./completion/print-candidates.ts');
    await printCandidates(rest.slice(1));
    return 0;
  }
  const asksHelp = ['help', '--help', '-h'].includes(first);
  const name = asksHelp ? rest[0] : first;
  if (name === undefined) {
    print(overview(verbTable));
    return 0;
  }
  const row = verbTable.find((one) => one.name === name);
  if (row === undefined) return complainOfVerb(name);
  return runVerb({ ...row, help: `muster help ${name}` }, asksHelp ? [...rest.slice(1), '--help'] : rest);
}

function complainOfVerb(name: string): number {
  const near = nearestWord(
    name,
    verbTable.map((row) => row.name),
  );
  const remedy = near === undefined ? listRemedy : `Did you mean "muster ${near}"?`;
  complain(
    name.startsWith('-')
      ? `the first argument must be a verb, not "${name}". ${listRemedy}`
      : `there is no verb "${name}". ${remedy}`,
  );
  return usageExit;
}
