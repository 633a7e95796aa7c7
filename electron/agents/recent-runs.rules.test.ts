import { expect, test } from 'vitest';
import { holdsSecret, maxRecent, type RecentRun, withRecent } from './recent-runs.rules.ts';

const run = (over: Partial<RecentRun> = {}): RecentRun => ({
  id: 'a',
  at: 1,
  member: 'ben',
  kind: 'claude-code',
  program: null,
  folder: '/work',
  args: [],
  isUnattended: false,
  modelUrl: null,
  ...over,
});

test('puts the newest run first, lists each choice once, and keeps ten', () => {
  let recent: RecentRun[] = [];
  for (let n = 0; n < 12; n++) recent = withRecent(recent, run({ id: `${n}`, folder: `/work/${n}` }));
  expect(recent.length).toBe(maxRecent);
  expect(recent[0]?.id).toBe('11');
  const again = withRecent(recent, run({ id: 'again', folder: '/work/5' }));
  expect(again.map(({ id }) => id).slice(0, 2)).toEqual(['again', '11']);
  expect(again.length).toBe(maxRecent);
});

test('does not keep a run whose arguments look like a secret', () => {
  for (const args of [
    ['--api-key', 'x'],
    ['--token=abc'],
    ['sk-ant-0123456789abc'],
    ['--header', 'eyJhbGciOi.eyJzdWIi'],
  ])
    expect(withRecent([], run({ args }))).toEqual([]);
  expect(holdsSecret({ args: ['--model', 'opus', '--task-risk'] })).toBe(false);
});
