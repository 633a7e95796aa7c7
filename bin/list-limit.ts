/** `--limit` of commands that list: how many entries they print at most. */
import { UsageError } from './usage-error.ts';

export const listLimit = {
  limit: { type: 'string', value: '<n>', help: 'maximum number, from 1 on (default: all)' },
} as const;

/** Undefined if it was not given. @throws UsageError if it is not a number from 1 on. */
export function limitOf(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const limit = /^\d+$/.test(written) ? Number(written) : Number.NaN;
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new UsageError('--limit must be a number from 1 on');
}
