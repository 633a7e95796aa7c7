/**
 * What an agent's hook runs: it gets the messages that wait at the runner and writes them where the agent
 * reads its hooks' answers. The form is Claude Code's: a prompt gets them as additional context, and an end
 * that would leave them unread is delayed.
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import type { Env } from '#protocol/paths.ts';
import { keyVariable, socketVariable } from './bridge-protocol.ts';
import { connectToRunner } from './runner-connection.ts';

export const hookEvents = ['UserPromptSubmit', 'Stop'] as const;
export type HookEvent = (typeof hookEvents)[number];
/**
 * Sent to the runner instead of `Stop` if the ending turn continued only because a hook delayed it before.
 */
export const stopAgain = 'Stop again';

export interface HookRequest {
  event: HookEvent;
  env: Env;
  input: Readable;
  output: Writable;
}

const maxInputBytes = 8 * 1024 * 1024;
const HookInput = z.object({ stop_hook_active: z.boolean() });

/** A prompt may be long, and nothing of it is needed. */
async function momentOf(event: HookEvent, input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (event === 'Stop' && size <= maxInputBytes) chunks.push(Buffer.from(chunk));
  }
  if (event !== 'Stop') return event;
  try {
    const { stop_hook_active: isAgain } = HookInput.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    return isAgain ? stopAgain : event;
  } catch {
    // If it cannot be known, assumes the case that could go on forever.
    return stopAgain;
  }
}

const answerOf = (event: HookEvent, text: string): object =>
  event === 'Stop'
    ? { decision: 'block', reason: text }
    : { hookSpecificOutput: { hookEventName: event, additionalContext: text } };

/**
 * Resolves when done. A runner that is gone does not concern the agent: then nothing is written. @throws
 * Error without a run.
 */
export async function runMcpHook({ event, env, input, output }: HookRequest): Promise<void> {
  const [socketPath, key] = [env[socketVariable], env[keyVariable]];
  if (!socketPath || !key)
    throw new Error(
      `${socketVariable} and ${keyVariable} are not set. Do not run this command yourself; "svc run" starts the agent that runs it.`,
    );
  const hook = await momentOf(event, input);
  const runner = await connectToRunner({ socketPath, key, client: 'hook' }).catch(() => null);
  if (runner === null) return;
  try {
    const text = z.string().parse(await runner.ask({ method: 'take', hook }));
    if (text === '') return;
    if (!output.write(`${JSON.stringify(answerOf(event, text))}\n`)) await once(output, 'drain');
    await runner.ask({ method: 'taken' });
  } catch {
    // The run is ending. What was taken without a confirmation waits again.
  } finally {
    runner.close();
  }
}
