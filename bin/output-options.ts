/** The options that every verb accepts, also before the verb: how the output looks. */
import { turnOffColors } from './colors.ts';
import { turnOffPager } from './paging.ts';

const turnOffByOption: ReadonlyMap<string, () => void> = new Map([
  ['--no-color', turnOffColors],
  ['--no-pager', turnOffPager],
]);

/** Follows these options and returns the other words. After `--`, everything is text. */
export function withoutOutputOptions(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  for (const option of options) turnOffByOption.get(option)?.();
  return [...options.filter((option) => !turnOffByOption.has(option)), ...argv.slice(options.length)];
}
