/** Relative times, with the exact time in a tooltip (specification/console.md#habits). */
import { useSyncExternalStore } from 'react';
import { relativeTime } from './time.rules.ts';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** The time of day, as the reader writes it. */
export const clockTime = (at: number): string => clock.format(at);

export const exactTime = (at: number): string => exact.format(at);

/** One clock for all times on the screen. */
let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, 30_000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

export function Time({ at, as = 'relative' }: { at: number; as?: 'relative' | 'clock' }) {
  const current = useNow();
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={exactTime(at)}
      className="whitespace-nowrap tabular-nums"
    >
      {as === 'clock' ? clockTime(at) : relativeTime(at, Math.max(current, at))}
    </time>
  );
}
