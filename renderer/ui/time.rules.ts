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

/** Both times are in epoch ms. */
export function relativeTime(at: number, now: number): string {
  const difference = at - now;
  const unit = units.find(([, ms]) => Math.abs(difference) >= ms);
  return unit === undefined ? 'just now' : relative.format(Math.round(difference / unit[1]), unit[0]);
}
