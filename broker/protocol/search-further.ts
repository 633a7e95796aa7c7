/** The broker bounds the time of one request, so a page may be empty although there are results (specification/search.md#limits). */
import type { SearchReply } from './search.ts';

/** Then the caller decides whether to go on: with a message in every block, so many pages are a million messages. */
const maxPages = 30;

/** Returns the first page with a result or without a `next`, or the last one that was asked for. */
export async function searchFurther(
  ask: (before: string | undefined) => Promise<SearchReply>,
  before: string | undefined,
): Promise<SearchReply> {
  let page = await ask(before);
  for (let asked = 1; page.results.length === 0 && page.next !== null && asked < maxPages; asked++)
    page = await ask(page.next);
  return page;
}
