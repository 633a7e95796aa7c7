/** Relative times, with the exact time in a tooltip (specification/console.md#habits). */
import { useSyncExternalStore } from 'react';
import { createListeners } from '../listeners.ts';
import { dayName, relativeTime } from './time.rules.ts';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** The time of day without "AM" or "PM", for a narrow place below a complete one. */
const shortClock = (at: number): string =>
  clock
    .formatToParts(at)
    .filter(({ type }) => type !== 'dayPeriod')
    .map(({ value }) => value)
    .join('')
    .trim();

/** The time of day, as the reader writes it. */
export const clockTime = (at: number): string => clock.format(at);

export const exactTime = (at: number): string => exact.format(at);

/** One clock for all times on the screen. */
let now = Date.now();
const { subscribe, tell } = createListeners();
setInterval(() => {
  now = Date.now();
  tell();
}, 30_000);

export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

export interface TimeProps {
  /** Epoch ms. */
  at: number;
  /** `short` is the time of day for a narrow place below a complete time. */
  as?: 'relative' | 'clock' | 'short';
}

export function Time({ at, as = 'relative' }: TimeProps) {
  const current = useNow();
  const words = {
    relative: () => relativeTime(at, Math.max(current, at)),
    clock: () => clockTime(at),
    short: () => shortClock(at),
  };
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={exactTime(at)}
      className="whitespace-nowrap tabular-nums"
    >
      {words[as]()}
    </time>
  );
}

/** The name of the day, which follows the clock past midnight. `at`: epoch ms. */
export function Day({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{dayName(at, useNow())}</time>;
}
