/** When an item that is put off comes back. Pure. */
import type { InboxItem } from './inbox.ts';

export interface Later {
  /** As the command names it. */
  id: string;
  label: string;
  /** Epoch ms, in the reader's time zone. */
  at: (now: number) => number;
}

const morningHour = 9;
function morningAfter(now: number, days: number): number {
  const day = new Date(now);
  day.setDate(day.getDate() + days);
  return day.setHours(morningHour, 0, 0, 0);
}

export const laters: readonly Later[] = [
  { id: 'hour', label: 'In an hour', at: (now) => now + 3_600_000 },
  { id: 'tomorrow', label: 'Tomorrow morning', at: (now) => morningAfter(now, 1) },
  {
    id: 'monday',
    label: 'Next Monday',
    at: (now) => morningAfter(now, (8 - new Date(now).getDay()) % 7 || 7),
  },
];

/** Returns those that come before the code of a device expires. A limit of a model ends by itself, too, but may begin again. */
export const latersOf = ({ kind, until }: Pick<InboxItem, 'kind' | 'until'>, now: number): Later[] =>
  laters.filter(({ at }) => kind !== 'device' || until === undefined || at(now) < until);
