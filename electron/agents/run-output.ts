/** What `svc run --json` says, one object per line. */
import { z } from 'zod';

const RunOutput = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('started'),
    member: z.string(),
    agent: z.string(),
    /** Whether messages wake it; one that they do not wake works from its start to its end. */
    wakes: z.boolean(),
    pid: z.int().positive().nullable(),
    log: z.string(),
  }),
  z.object({ event: z.literal('state'), state: z.enum(['waiting', 'working']) }),
  z.object({ event: z.literal('log'), text: z.string() }),
  z.object({ event: z.literal('transcript'), text: z.string() }),
]);
export type RunOutput = z.infer<typeof RunOutput>;

/** A line that is none of these is what somebody said. */
export function readRunOutput(line: string): RunOutput {
  try {
    const read = RunOutput.safeParse(JSON.parse(line));
    if (read.success) return read.data;
  } catch {
    // Not JSON.
  }
  return { event: 'log', text: line };
}
