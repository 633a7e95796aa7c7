/** How much of a long list a model is shown, and how it reads on (specification/runner.md#toolbox-rules). */
import { z } from 'zod';
import { firstOf, type Pages } from '#protocol/pages.ts';
import { beside } from './tool-input.ts';

/** Lines of one list. */
const maxListed = 500;

/** The input of every tool whose list may be cut: the key of the last entry shown. The note explains it. */
export const after = beside(z.string());

interface Listing<T> {
  tool: string;
  /** Returns the value that the tool takes as `after`. */
  keyOf: (item: T) => string;
  /** Nothing is cut, because the tool has no `after`. */
  isSpecified?: boolean;
}

const escaped = (sign: string): string =>
  Array.from(
    { length: sign.length },
    (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** Escaped as in JSON, and nothing in it is invisible: a model that copies the key passes exactly this key. */
const quoted = (key: string): string =>
  JSON.stringify(key).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);

/** Returns the first items, and a note if there are more. @throws what the pages throw. */
export async function listedOf<T>(
  pages: Pages<T>,
  { tool, keyOf, isSpecified = false }: Listing<T>,
): Promise<{ items: T[]; notes: string[] }> {
  const { items, hasMore } = await firstOf(pages, isSpecified ? Number.POSITIVE_INFINITY : maxListed);
  const last = items.at(-1);
  if (!hasMore || last === undefined) return { items, notes: [] };
  return {
    items,
    notes: [`There are more. Call ${tool} again with after ${quoted(keyOf(last))} to see them.`],
  };
}
