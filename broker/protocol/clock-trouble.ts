/** The trouble of the clock of the broker's machine, for managers (specification/diagnostics.md#clock). */
import { z } from 'zod';

const ms = z.number().nonnegative();

export const ClockTrouble = z
  .object({
    /** The lead of the newest message's time over the clock, ms; 0 up to a minute. */
    messagesAheadMs: ms,
    /** The size of a jump of the clock less than a day ago that has not been taken back, ms; 0 without one. */
    jumpedMs: ms,
  })
  .meta({ id: 'ClockTrouble' });
export type ClockTrouble = z.infer<typeof ClockTrouble>;
