/** Times as people say them, with the exact one on hover (design "Habits"). */
import { useSyncExternalStore } from 'react';

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

export function relativeTime(at: number, now: number): string {
  const difference = at - now;
  const unit = units.find(([, ms]) => Math.abs(difference) >= ms);
  return unit === undefined ? 'just now' : relative.format(Math.round(difference / unit[1]), unit[0]);
}

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
      {as === 'clock' ? clock.format(at) : relativeTime(at, Math.max(current, at))}
    </time>
  );
}
