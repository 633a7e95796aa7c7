/**
 * The program of an agent's hook: it asks the runner what to write and how to end. All it knows itself is whether a
 * turn that would end has gone on because of a hook before.
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Env } from '#protocol/paths.ts';
import type { HookMoment } from '../agents/agent-hooks.ts';
import { isRecord, keyVariable, readHookAnswer, socketVariable } from './bridge-protocol.ts';
import { connectToRunner } from './runner-connection.ts';

export interface HookRequest {
  moment: HookMoment;
  env: Env;
  input: Readable;
  output: Writable;
  errors: Writable;
}

const maxInputBytes = 8 * 1024 * 1024;

/** Reads all of the input, which may be long, and of which nothing else is needed. */
async function isStopAgain(moment: HookMoment, input: Readable): Promise<boolean> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (moment === 'stop' && size <= maxInputBytes) chunks.push(Buffer.from(chunk));
  }
  if (moment !== 'stop') return false;
  try {
    const said: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return !isRecord(said) || said.stop_hook_active !== false;
  } catch {
    // If it cannot be known, assumes the case that could go on forever.
    return true;
  }
}

async function write(stream: Writable, text: string): Promise<void> {
  if (text !== '' && !stream.write(text)) await once(stream, 'drain');
}

/**
 * Resolves with the exit code. A runner that is gone does not concern the agent: then nothing is written.
 * @throws Error without a run.
 */
export async function runMcpHook(request: HookRequest): Promise<number> {
  const { moment, env, input, output, errors } = request;
  const [socketPath, key] = [env[socketVariable], env[keyVariable]];
  if (!socketPath || !key)
    throw new Error(
      `${socketVariable} and ${keyVariable} are not set. Do not run this command yourself; "muster run" starts the agent that runs it.`,
    );
  const isAgain = await isStopAgain(moment, input);
  const { promise: lost, resolve: lose } = Promise.withResolvers<null>();
  const onLost = (): void => lose(null);
  const runner = await connectToRunner({ socketPath, key, client: 'hook', onLost }).catch(() => null);
  if (runner === null) return 0;
  try {
    const reply = await Promise.race([runner.ask({ method: 'take', moment, isAgain }), lost]);
    const answer = readHookAnswer(reply);
    if (answer === null) return 0;
    await write(output, answer.stdout);
    await write(errors, answer.stderr);
    await runner.ask({ method: 'taken' });
    return answer.code;
  } catch {
    // The run is ending. Messages without a confirmation wait again.
    return 0;
  } finally {
    runner.close();
  }
}
