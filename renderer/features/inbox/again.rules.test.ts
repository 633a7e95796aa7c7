import { expect, it } from 'vitest';
import type { InboxItem } from '#protocol/inbox.ts';
import { untilAgain } from './again.rules.ts';

const now = 1_700_000_000_000;
const item = (until?: number): InboxItem => ({
  key: 'refused rex 1',
  kind: 'agent',
  title: 'rex cannot work',
  scope: null,
  detail: '',
  at: null,
  place: { kind: 'member', name: 'rex' },
  ...(until !== undefined && { until }),
});

it.each([
  { name: 'a minute without an end', untils: [undefined], ms: 60_000 },
  { name: 'until the first end', untils: [now + 30_000, now + 20_000], ms: 20_000 },
  { name: 'a second while an end is passing', untils: [now - 3000], ms: 1000 },
  { name: 'a minute when the end passed long ago', untils: [now - 60_001], ms: 60_000 },
])('waits $name', ({ untils, ms }) => {
  expect(untilAgain({ items: untils.map(item) }, now)).toBe(ms);
});
