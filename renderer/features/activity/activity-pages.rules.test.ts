import { describe, expect, it } from 'vitest';
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import { type ActivityPages, withRow } from './activity-pages.rules.ts';

describe('a live row of activity', () => {
  const row = (id: number) => ({ id, ts: id }) as unknown as ActivitySummary;
  const all = ({ pages }: ActivityPages) => pages.flatMap(({ activity }) => activity.map(({ id }) => id));
  const start: ActivityPages = { pages: [{ activity: [row(2), row(1)] }], pageParams: [undefined] };

  it('is put first, once', () => {
    expect(all(withRow(start, row(3)))).toEqual([3, 2, 1]);
    expect(withRow(start, row(1))).toBe(start);
  });

  it('leaves no gap among the cached rows, which stay bounded, after ten thousand rows', () => {
    let pages = start;
    for (let id = 3; id <= 10_000; id++) pages = withRow(pages, row(id));
    const ids = all(pages);
    expect(ids[0]).toBe(10_000);
    expect(ids.length).toBeLessThanOrEqual(1000);
    expect(ids).toEqual(Array.from(ids, (_, at) => 10_000 - at));
    expect(pages.pageParams).toHaveLength(pages.pages.length);
  });
});
