/** The frames between the bridge and the runner. The bridge sends first: `{ key }`. */
import { z } from 'zod';
import { hookMoments } from '../agents/agent-hooks.ts';

export const socketVariable = 'SVC_RUNNER_SOCKET';
export const keyVariable = 'SVC_RUNNER_KEY';

/** To the runner. */
export const FromBridge = z.union([
  z.object({ key: z.string(), client: z.string().optional() }),
  z.object({ id: z.int(), method: z.literal('list') }),
  /** The waiting messages, as a text. */
  z.object({ id: z.int(), method: z.literal('inbox') }),
  z.object({ id: z.int(), method: z.literal('call'), name: z.string(), input: z.unknown().optional() }),
  /** The agent no longer waits for the answer to the call with this id. */
  z.object({ event: z.literal('cancelled'), call: z.int() }),
  /** The agent's side of MCP is ready, with the agent's name for itself. */
  z.object({ event: z.literal('initialized'), client: z.string() }),
  /** A hook of the agent asks for waiting messages. `isAgain`: the turn has gone on because of a hook before. */
  z.object({
    id: z.int(),
    method: z.literal('take'),
    moment: z.enum(hookMoments),
    isAgain: z.boolean(),
  }),
  /** The hook wrote the answer to the agent. */
  z.object({ id: z.int(), method: z.literal('taken') }),
]);
export type FromBridge = z.infer<typeof FromBridge>;

/** To the bridge. */
export const FromRunner = z.union([
  z.object({ welcome: z.literal(true), instructions: z.string(), hasInbox: z.boolean().default(false) }),
  z.object({ refused: z.string() }),
  z.object({ id: z.int(), result: z.unknown().optional() }),
  z.object({ id: z.int(), error: z.string() }),
  z.object({ event: z.literal('tools changed') }),
  z.object({ event: z.literal('inbox changed') }),
  z.object({ event: z.literal('channel'), content: z.string(), meta: z.record(z.string(), z.string()) }),
]);
export type FromRunner = z.infer<typeof FromRunner>;

/** The result of `take`; null if there is nothing to hand over. */
export const HookReply = z.object({ stdout: z.string(), stderr: z.string(), code: z.int() }).nullable();
