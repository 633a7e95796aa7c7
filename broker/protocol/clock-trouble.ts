/** The trouble of the clock of the broker's machine, for managers (specification/diagnostics.md#clock). */
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
