import { connect } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Bundle } from '../agents/agent.ts';
import { createHookHandover } from '../delivery/hook-handover.ts';
import { keyVariable, socketVariable } from './bridge-protocol.ts';
import { type BridgeServer, startBridgeServer } from './bridge-server.ts';
import { type HookEvent, runMcpHook } from './mcp-hook.ts';

let server: BridgeServer;
let waiting: Bundle[];
let seen: string[];
let longest: number[];

beforeEach(async () => {
  waiting = [];
  seen = [];
  longest = [];
  server = await startBridgeServer({
    instructions: () => '',
    list: () => [],
    call: async () => ({}),
    handOver: createHookHandover({
      async claimBundle(characters) {
        longest.push(characters);
        return waiting.shift() ?? null;
      },
      putBack: (ids) => seen.push(`back ${ids}`),
      onEvidence: (ids, state) => seen.push(`${ids} ${state}`),
      log: () => undefined,
    }),
    onInitialized: () => undefined,
    onGone: () => undefined,
  });
});
afterEach(() => server.close());

const bundle = (id: string): Bundle => ({ messageIds: [id], text: `text of ${id}` });

/** What the agent reads from its hook. */
async function hook(event: HookEvent, input: string): Promise<unknown> {
  const output = new PassThrough();
  const env = { [socketVariable]: server.socketPath, [keyVariable]: server.key };
  await runMcpHook({ event, env, input: Readable.from([Buffer.from(input)]), output });
  const text = output.read()?.toString('utf8') ?? '';
  return text === '' ? null : JSON.parse(text);
}
const stop = (isAgain: boolean) => hook('Stop', JSON.stringify({ stop_hook_active: isAgain }));

describe('a hook of the agent', () => {
  it('adds waiting messages to a prompt, and reports them as accepted only then', async () => {
    waiting = [bundle('m1')];
    expect(await hook('UserPromptSubmit', '{"prompt":"go"}')).toEqual({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'text of m1' },
    });
    expect(seen).toEqual(['m1 accepted']);
  });

  it('keeps a turn from ending while messages wait, and otherwise writes nothing', async () => {
    waiting = [bundle('m1'), bundle('m2')];
    expect(await stop(false)).toEqual({ decision: 'block', reason: 'text of m1' });
    expect(await stop(true)).toEqual({ decision: 'block', reason: 'text of m2' });
    expect(await stop(true)).toBeNull();
    expect(seen).toEqual(['m1 accepted', 'm2 accepted']);
  });

  it('requests no more text with a prompt than the agent passes on completely', async () => {
    await hook('UserPromptSubmit', '');
    await stop(false);
    expect(longest).toEqual([9900, Number.POSITIVE_INFINITY]);
  });

  it('does not keep a turn alive forever: the chain stops until the user sends a prompt', async () => {
    waiting = Array.from({ length: 40 }, (_, n) => bundle(`m${n}`));
    await stop(false);
    let taken = 1;
    while ((await stop(true)) !== null) taken += 1;
    expect(taken).toBe(25);
    expect(await hook('Stop', 'what no agent writes')).toBeNull();
    expect(await hook('UserPromptSubmit', '')).not.toBeNull();
    expect(await stop(true)).not.toBeNull();
  });

  it('leaves the messages waiting if it is killed before it has written the text', async () => {
    waiting = [bundle('m1')];
    const socket = connect(server.socketPath);
    socket.write(`${JSON.stringify({ key: server.key, client: 'hook' })}\n`);
    socket.write(`${JSON.stringify({ id: 1, method: 'take', hook: 'Stop' })}\n`);
    await expect.poll(() => longest.length).toBe(1);
    socket.destroy();
    await expect.poll(() => seen).toEqual(['back m1']);
  });

  it('writes nothing and does not fail if the runner is gone', async () => {
    await server.close();
    expect(await stop(false)).toBeNull();
  });

  it('says that "svc run" starts it if there is no run', async () => {
    const streams = { input: Readable.from([]), output: new PassThrough() };
    await expect(runMcpHook({ event: 'Stop', env: {}, ...streams })).rejects.toThrow('svc run');
  });
});
