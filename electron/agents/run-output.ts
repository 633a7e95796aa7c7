/** The output of `muster run --json`: one JSON object per line. */
import { z } from 'zod';

const RunOutput = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('started'),
    member: z.string(),
    agent: z.string(),
    /**
     * Whether messages wake the agent. An agent that they do not wake counts as working from its start to its
     * end.
     */
    wakes: z.boolean(),
    pid: z.int().positive().nullable(),
    log: z.string(),
  }),
  z.object({ event: z.literal('state'), state: z.enum(['waiting', 'working']) }),
  z.object({ event: z.literal('log'), text: z.string() }),
  z.object({ event: z.literal('transcript'), text: z.string() }),
]);
export type RunOutput = z.infer<typeof RunOutput>;

/** Returns the parsed line; a line of no known form is passed on as text. */
export function readRunOutput(line: string): RunOutput {
  try {
    const read = RunOutput.safeParse(JSON.parse(line));
    if (read.success) return read.data;
  } catch {
    // The line is not JSON.
  }
  return { event: 'log', text: line };
}
