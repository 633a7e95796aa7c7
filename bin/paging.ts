/** Decides which output goes through a pager (specification/command-line.md#output). */
import process from 'node:process';
import { sendOutputTo } from './output.ts';

/** The verbs that print lists and nothing else; of a verb with actions, these actions. */
const lists: ReadonlyMap<string, readonly string[] | null> = new Map([
  ['audit', null],
  ['channels', ['list', 'view']],
  ['enroll', ['pending', 'history']],
  ['fs', ['ls', 'shared', 'find', 'grants']],
  ['held', ['list']],
  ['members', ['list']],
  ['objectives', ['list', 'view']],
  ['recent', null],
  ['roster', null],
  ['search', null],
  ['sessions', ['list']],
]);
const helpWords = ['help', '--help', '-h'];

let isOff = false;

/** For `--no-pager`. */
export function turnOffPager(): void {
  isOff = true;
}

function isLong(argv: readonly string[]): boolean {
  const [verb = ''] = argv;
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  if (verb === 'help' || options.some((option) => option !== 'help' && helpWords.includes(option)))
    return true;
  if (options.some((option) => ['--json', '--export'].includes(option))) return false;
  const actions = lists.get(verb);
  // An option may come before the action.
  return actions === null || (actions?.some((action) => options.includes(action)) ?? false);
}

function isUsable(): boolean {
  const { stdin, stdout, env } = process;
  return (
    !isOff &&
    stdin.isTTY &&
    stdout.isTTY &&
    stdout.rows > 0 &&
    env.TERM !== 'dumb' &&
    env.PAGER !== '' &&
    env.PAGER !== 'cat'
  );
}

/** Runs a command. Output of a list that is longer than the terminal goes through the pager. */
export async function paged(argv: readonly string[], run: () => Promise<number>): Promise<number> {
  if (!isLong(argv) || !isUsable()) return run();
  const { createPager } = await import('./pager.ts');
  const pager = createPager();
  sendOutputTo(pager);
  try {
    return await run();
  } finally {
    await pager.end();
    sendOutputTo(null);
  }
}
