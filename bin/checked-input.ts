/** A person's input on the command line, as the body of a request: checked before anything is sent. */
import type { z } from 'zod';
import { UsageError } from './usage-error.ts';

/** The entries of a comma-separated list. */
export const listOf = (list: string | undefined): string[] | undefined =>
  list
    ?.split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/**
 * The paths of `--attach`. @throws UsageError for none, because `--attach "$FILE"` without a FILE must not
 * send the text alone.
 */
export function attachedPaths(list: string | undefined): string[] | undefined {
  const paths = listOf(list);
  if (paths?.length === 0)
    throw new UsageError('--attach requires at least one path. Name a path, or omit the option.');
  return paths;
}

/** A member as a person writes one: with or without the "@" of a mention. */
export const memberOf = (written: string): string => written.replace(/^@/, '');

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the values without those that were not given. */
export function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}

/**
 * Refuses, before anything is sent, what no broker would accept. `options`: the person's name for a property;
 * null for a word.
 */
export function refuseUnfit(
  schema: z.ZodType,
  value: object,
  options: Record<string, string | null> = { title: null },
): void {
  const checked = schema.safeParse(value);
  if (checked.success) return;
  const [issue] = checked.error.issues;
  const [property] = issue?.path ?? [];
  const option = property === undefined ? undefined : (options[String(property)] ?? null);
  const isWord = property !== undefined && option === null && Object.hasOwn(options, String(property));
  const place = property === undefined || isWord ? '' : `--${option ?? String(property)}: `;
  throw new UsageError(`${place}${issue?.message}`);
}
