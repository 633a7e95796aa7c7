/** Times relative to now, in words. */
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Returns the last midnight in this time zone. Both in epoch ms. */
export const startOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

const dayMs = 86_400_000;
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const sentenceCase = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/**
 * Returns the name of a day in this time zone: today, yesterday, or its date, with the year if it is another one.
 * Both times are in epoch ms.
 */
export function dayName(at: number, now: number): string {
  // Rounded, because a day with a change of the clock has 23 or 25 hours.
  const days = Math.round((startOfDay(at) - startOfDay(now)) / dayMs);
  if (days === 0 || days === -1) return sentenceCase(relative.format(days, 'day'));
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? weekday : date).format(at);
}

/** Both times are in epoch ms. */
export function relativeTime(at: number, now: number): string {
  const difference = at - now;
  const unit = units.find(([, ms]) => Math.abs(difference) >= ms);
  return unit === undefined ? 'just now' : relative.format(Math.round(difference / unit[1]), unit[0]);
}
