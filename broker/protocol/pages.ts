/** Reads a list page by page, in the order of its keys. */

/** Pages that are at hand, or that come. */
export type Pages<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>;

export interface PagedList<T> {
  /** Answers the items after the one with the key `after`, at most `size`; the first ones without a key. */
  ask: (after: string | undefined, size: number) => Promise<readonly T[]>;
  keyOf: (item: T) => string;
  pageSize: number;
  /** Reads on from this key. */
  after?: string | undefined;
}

/**
 * Yields the pages, the first one also if it is empty. A broker that does not know pages answers the whole list each
 * time: it is yielded once. @throws what `ask` throws.
 */
export async function* pagesOf<T>({
  ask,
  keyOf,
  pageSize,
  after,
}: PagedList<T>): AsyncGenerator<readonly T[]> {
  const answered = await ask(after, pageSize);
  // Only a broker that does not know pages answers what the caller has already.
  const placeOfAfter = after === undefined ? -1 : answered.findIndex((item) => keyOf(item) === after);
  const first: readonly T[] = answered.slice(placeOfAfter + 1);
  yield first;
  if (placeOfAfter >= 0) return;
  for (let page = first; page.length === pageSize; ) {
    const last = page.at(-1);
    if (last === undefined) return;
    const place = keyOf(last);
    page = await ask(place, pageSize);
    // An item that the caller already has cannot follow it.
    if (page.some((item) => keyOf(item) === place)) return;
    yield page;
  }
}

/** Yields the pages as far as the first `max` items, and reads none behind them. @throws what the pages throw. */
export async function* atMost<T>(pages: Pages<T>, max: number): AsyncGenerator<readonly T[]> {
  let left = max;
  for await (const page of pages) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

/** Returns all items of the pages. @throws what the pages throw. */
export async function allOf<T>(pages: Pages<T>): Promise<T[]> {
  const { items } = await firstOf(pages, Number.POSITIVE_INFINITY);
  return items;
}

/** Returns at most `max` items, and whether there are more. It reads no page that it does not need for this. */
export async function firstOf<T>(pages: Pages<T>, max: number): Promise<{ items: T[]; hasMore: boolean }> {
  const items: T[] = [];
  for await (const page of pages) {
    for (const item of page) {
      if (items.length === max) return { items, hasMore: true };
      items.push(item);
    }
  }
  return { items, hasMore: false };
}
