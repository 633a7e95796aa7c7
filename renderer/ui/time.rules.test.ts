import { expect, it } from 'vitest';
import { relativeTime } from './time.rules.ts';

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
