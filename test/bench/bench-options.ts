/** The options of `npm run bench`. */
import { parseArgs } from 'node:util';
import { UsageError } from '../../bin/usage-error.ts';
import type { TeamSize } from '../scale/team-shape.ts';
import { type ScaleOperation, scaleOperations } from './scale-operations.ts';
import { full, smallestShare, usual } from './store-sizes.ts';

export type BenchOptions =
  | { kind: 'help' }
  | { kind: 'compare'; isQuick: boolean }
  /** With another version of the product. `commit`: a hash, a tag, or a branch. */
  | { kind: 'against'; commit: string; isQuick: boolean }
  | {
      kind: 'scale';
      whole: TeamSize;
      /** Of everything in `whole`. */
      share: number;
      /** A folder for the stores, which are then kept; null for a temporary one. */
      keep: string | null;
      operations: readonly ScaleOperation[];
      /** Whether nothing was left out or changed, so that the table may be published. */
      isEverything: boolean;
    };

/** Reads the arguments. @throws UsageError if they are not valid. */
export function readBenchOptions(args: string[]): BenchOptions {
  const { help, scale, against, quick, size, full: isFull, keep, only } = parse(args);
  if (help) return { kind: 'help' };
  if (!scale) {
    const needed = Object.entries({ size, full: isFull, keep, only }).find(
      ([, value]) => value !== undefined,
    );
    if (needed !== undefined) throw new UsageError(`--${needed[0]} needs --scale.`);
    if (against !== undefined) return { kind: 'against', commit: against, isQuick: quick === true };
    return { kind: 'compare', isQuick: quick === true };
  }
  if (against !== undefined) throw new UsageError('--against and --scale are two measurements: pass one.');
  if (quick) throw new UsageError('--quick has no effect with --scale: pass --size for a smaller store.');
  const whole = isFull ? full : usual;
  const operations = scaleOperations.filter(({ title }) => title.includes(only ?? ''));
  if (operations.length === 0)
    throw new UsageError(`no read has "${only}" in its name: pass a part of one, for example "search".`);
  const share = shareFrom(size ?? '1', whole);
  const isEverything = share === 1 && !isFull && operations.length === scaleOperations.length;
  return { kind: 'scale', whole, share, keep: keep ?? null, operations, isEverything };
}

function parse(args: string[]) {
  try {
    const boolean = { type: 'boolean' } as const;
    const string = { type: 'string' } as const;
    return parseArgs({
      args,
      options: {
        ...{ help: boolean, quick: boolean, scale: boolean, full: boolean },
        ...{ against: string, size: string, keep: string, only: string },
      },
    }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Only the first sentence, because the rest explains Node's own conventions.
    const [sentence = ''] = error.message.split(/\n|\. /);
    throw new UsageError(`${sentence.replace(/\.$/, '')}: npm run bench -- --help shows all options.`);
  }
}

/** Below the smallest share, both stores would have the same of something, because a store has a few of everything. */
function shareFrom(text: string, whole: TeamSize): number {
  const share = Number(text);
  const smallest = smallestShare(whole);
  if (share >= smallest && share <= 1) return share;
  throw new UsageError(
    `--size "${text}" is not a number from ${smallest} to 1: in a smaller store, the tenth would not have less of everything.`,
  );
}
