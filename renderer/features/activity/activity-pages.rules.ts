/** Adds live rows to the cached pages. Pure. */
import type { ActivitySummary } from '#protocol/activity-summary.ts';

/** Newest page first, each page newest first, as useInfiniteQuery keeps them. */
export interface ActivityPages {
  pages: { activity: ActivitySummary[] }[];
  pageParams: unknown[];
}

const maxPageRows = 100;
/** Beyond this maximum, the oldest page is dropped; scrolling down fetches it again. */
const maxPages = 10;

/** Adds a row, unless it is already there. */
export function withRow(held: ActivityPages, row: ActivitySummary): ActivityPages {
  const [first, ...rest] = held.pages;
  if (first === undefined || held.pages.some(({ activity }) => activity.some(({ id }) => id === row.id)))
    return held;
  if (first.activity.length < maxPageRows)
    return { ...held, pages: [{ activity: [row, ...first.activity] }, ...rest] };
  const kept = held.pages.length < maxPages ? held.pages.length : held.pages.length - 1;
  return {
    pages: [{ activity: [row] }, ...held.pages.slice(0, kept)],
    pageParams: [held.pageParams[0], ...held.pageParams.slice(0, kept)],
  };
}
