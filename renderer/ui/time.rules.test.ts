import { expect, it } from 'vitest';
import { dayName, relativeTime } from './time.rules.ts';

const said = (value: number, unit: Intl.RelativeTimeFormatUnit) =>
  new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(value, unit);
const minuteMs = 60_000;

it.each([
  [0, 'just now'],
  [minuteMs - 1, 'just now'],
  [minuteMs, said(-1, 'minute')],
  [90 * minuteMs, said(-1, 'hour')],
  [24 * 60 * minuteMs, said(-1, 'day')],
  [8 * 24 * 60 * minuteMs, said(-1, 'week')],
  [800 * 24 * 60 * minuteMs, said(-2, 'year')],
])('names %d ms ago %s', (agoMs, text) => {
  expect(relativeTime(1e13 - agoMs, 1e13)).toBe(text);
});

it.each([
  [new Date(2026, 5, 15, 0, 0), 'today'],
  [new Date(2026, 5, 14, 23, 59), 'yesterday'],
])('names the day of %s %s', (at, name) => {
  expect(dayName(at.getTime(), new Date(2026, 5, 15, 12).getTime()).toLowerCase()).toBe(name);
});

it('names an earlier day by its weekday and date, and a day of another year by its year, too', () => {
  const now = new Date(2026, 5, 15, 12).getTime();
  const near = new Date(2026, 5, 13, 12);
  const far = new Date(2025, 11, 31, 12);
  expect(dayName(near.getTime(), now)).toContain(near.toLocaleDateString(undefined, { weekday: 'long' }));
  expect(dayName(near.getTime(), now)).not.toContain('2026');
  expect(dayName(far.getTime(), now)).toContain('2025');
});
