/** Puts the trouble of a broker's clock into words. */
import type { ClockTrouble } from './clock-trouble.ts';

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const;

function about(length: number): string {
  const [unit, name] = units.find(([size]) => length >= 2 * size) ?? [60_000, 'minute'];
  const count = Math.max(1, Math.round(length / unit));
  return `${count.toLocaleString('en-US')} ${name}${count === 1 ? '' : 's'}`;
}

/** Returns sentences for a person. */
export const clockSentences = ({ messagesAheadMs, jumpedMs }: ClockTrouble): string[] => [
  ...(jumpedMs > 0
    ? [
        `The clock of the broker jumped ahead by ${about(jumpedMs)}, so nothing that is old is removed for a day.`,
      ]
    : []),
  ...(messagesAheadMs > 0
    ? [
        `The newest message is stamped ${about(messagesAheadMs)} ahead of the clock, and so are new ones until then. These also have the time at which they were accepted.`,
      ]
    : []),
];
