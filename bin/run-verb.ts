/** Runs one verb and turns every ending into an exit code (specification/command-line.md#conventions). */
import process from 'node:process';
import { knownAction, wordsIn } from './actions.ts';
import { actionHelp, verbHelp } from './help-text.ts';
import { complain, endOnFailedOutput, print, remark } from './output.ts';
import type { Verb } from './verb.ts';

export interface Runnable {
  summary: string;
  /** The command that explains the usage. */
  help: string;
  load: () => Promise<{ verb: Verb }>;
}

/**
 * Resolves with the exit code: the verb's own, 64 for wrong usage, 1 for a failure, and 78 for a
 * configuration that cannot be used.
 */
export async function runVerb(row: Runnable, args: string[]): Promise<number> {
  endOnFailedOutput();
  let { help } = row;
  try {
    const { verb } = await row.load();
    const { actions } = verb;
    const [word] = actions === undefined ? [] : wordsIn(args, verb.options);
    if (word !== undefined && Object.hasOwn(actions ?? {}, word)) help = `${help} ${word}`;
    if (isHelpAsked(args)) {
      print(word === undefined ? verbHelp(row.summary, verb) : actionHelp(knownAction(word, actions ?? {})));
      return 0;
    }
    return (await verb.start(args, process.env)) ?? 0;
  } catch (error) {
    const { failureOf } = await import('./failure.ts');
    const { exitCode, line, stack } = failureOf(error, help);
    complain(line);
    if (stack !== undefined) remark(stack);
    return exitCode;
  }
}

/** After `--`, everything is text. */
function isHelpAsked(args: string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}
