/** What is wrong with the clock of the broker's machine, for managers (specification/diagnostics.md#clock). */
import { z } from 'zod';

const ms = z.number().nonnegative();

export const ClockTrouble = z
  .object({
    /** How far the time of the newest message is ahead of the clock, ms; 0 up to a minute. */
    messagesAheadMs: ms,
    /** How far the clock jumped ahead less than a day ago, without having returned, ms; 0 if it did not. */
    jumpedMs: ms,
  })
  .meta({ id: 'ClockTrouble' });
export type ClockTrouble = z.infer<typeof ClockTrouble>;

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
        `The newest message is stamped ${about(messagesAheadMs)} ahead of the clock, and so are new ones until then.`,
      ]
    : []),
];
