import { expect, it } from 'vitest';
import {
  maxSavedViews,
  maxViewName,
  refusalOfName,
  renamedView,
  savedViewsIn,
  withoutView,
  withView,
} from './saved-views.rules.ts';

const mine = { name: 'Mine', search: { assignee: 'ada', sort: 'title' as const } };

it.each([null, '', '{', '{}', '"a"', '[null, 1, {"name": 1}, {"name": "", "search": {}}]'])(
  'reads no view from %j',
  (text) => {
    expect(savedViewsIn(text)).toEqual([]);
  },
);

it('reads only what is part of a view, each name once, and a bounded number', () => {
  const hostile = { name: 'x'.repeat(200), search: { sort: 'size', group: 'status', create: true } };
  const many = Array.from({ length: 50 }, (_, n) => ({ name: `v${n}`, search: {} }));
  const views = savedViewsIn(JSON.stringify([mine, mine, hostile, ...many]));
  expect(views).toHaveLength(maxSavedViews);
  expect(views[0]).toEqual(mine);
  expect(views[1]).toEqual({ name: 'x'.repeat(maxViewName), search: { group: 'status' } });
});

it('adds, renames, and removes', () => {
  const views = withView([mine], ' Blocked ', { status: 'blocked' }) ?? [];
  expect(savedViewsIn(JSON.stringify(views))).toEqual([
    mine,
    { name: 'Blocked', search: { status: 'blocked' } },
  ]);
  expect(renamedView(views, 'Blocked', 'Stuck ').map(({ name }) => name)).toEqual(['Mine', 'Stuck']);
  expect(withoutView(views, 'Mine').map(({ name }) => name)).toEqual(['Blocked']);
});

it('has no room beyond its bound', () => {
  const full = Array.from({ length: maxSavedViews }, (_, n) => ({ name: `v${n}`, search: {} }));
  expect(withView(full, 'one more', {})).toBeUndefined();
});

it('refuses a name that is empty or taken', () => {
  expect(refusalOfName([mine], '  ')).toContain('Enter a name');
  expect(refusalOfName([mine], 'Mine ')).toContain('already');
  expect(refusalOfName([mine], 'Mine', 'Mine')).toBeNull();
  expect(refusalOfName([mine], 'Other')).toBeNull();
});
