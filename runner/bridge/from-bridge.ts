/** The messages that the runner accepts from the bridge; the other direction and the names are in bridge-protocol.ts. */
import { z } from 'zod';
import { hookMoments } from '../agents/agent-hooks.ts';

export const FromBridge = z.union([
  z.object({ key: z.string(), client: z.string().optional() }),
  z.object({ id: z.int(), method: z.literal('list') }),
  z.object({ id: z.int(), method: z.literal('inbox') }),
  z.object({ id: z.int(), method: z.literal('call'), name: z.string(), input: z.unknown().optional() }),
  /** The agent no longer waits for the answer to the call with this id. */
  z.object({ event: z.literal('cancelled'), call: z.int() }),
  /** The agent's side of MCP is ready, with the agent's name for itself. */
  z.object({ event: z.literal('initialized'), client: z.string() }),
  z.object({
    id: z.int(),
    method: z.literal('take'),
    moment: z.enum(hookMoments),
    isAgain: z.boolean(),
  }),
  z.object({ id: z.int(), method: z.literal('taken') }),
]);
export type FromBridge = z.infer<typeof FromBridge>;
