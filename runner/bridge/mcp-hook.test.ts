import { connect } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedBundle } from '../agents/agent.ts';
import type { HookMoment } from '../agents/agent-hooks.ts';
import { claudeHooks } from '../agents/claude-code/claude-hooks.ts';
import { createHookHandover } from '../delivery/hook-handover.ts';
import { createIdleWaker, type IdleWaker } from '../delivery/idle-waker.ts';
import { keyVariable, socketVariable } from './bridge-protocol.ts';
import { type BridgeServer, startBridgeServer } from './bridge-server.ts';
import { runMcpHook } from './mcp-hook.ts';

let server: BridgeServer;
let waiting: ClaimedBundle[];
let isWaking: boolean;
let prompts: number;
let waker: IdleWaker;
let seen: string[];
let longest: number[];

beforeEach(async () => {
  waiting = [];
  isWaking = true;
  prompts = 0;
  seen = [];
  longest = [];
  waker = createIdleWaker({ hasWaiting: () => waiting.length > 0, isExchanging: () => false });
  server = await startBridgeServer({
    instructions: () => '',
    list: () => [],
    call: async () => ({}),
    handOver: createHookHandover({
      hasWaking: () => isWaking,
      onPrompt() {
        prompts += 1;
      },
      hooks: claudeHooks,
      waker,
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
afterEach(async () => {
  waker.close();
  await server.close();
});

const bundle = (id: string): ClaimedBundle => ({
  messageIds: [id],
  text: `text of ${id}`,
  shown: `shown ${id}`,
});

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

async function run(moment: HookMoment, input: string): Promise<Ended> {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const env = { [socketVariable]: server.socketPath, [keyVariable]: server.key };
  const streams = { input: Readable.from([Buffer.from(input)]), output, errors };
  const code = await runMcpHook({ moment, env, ...streams });
  const textOf = (stream: PassThrough) => stream.read()?.toString('utf8') ?? '';
  return { code, stdout: textOf(output), stderr: textOf(errors) };
}

/** Returns the output that the agent reads from its hook. */
async function hook(moment: HookMoment, input: string): Promise<unknown> {
  const { code, stdout } = await run(moment, input);
  expect(code).toBe(0);
  return stdout === '' ? null : JSON.parse(stdout);
}
const stop = (isAgain: boolean) => hook('stop', JSON.stringify({ stop_hook_active: isAgain }));
const given = (event: string, id: string) => ({
  systemMessage: `shown ${id}`,
  hookSpecificOutput: { hookEventName: event, additionalContext: `text of ${id}` },
});

describe('a hook of the agent', () => {
  it('adds waiting messages to a prompt, and reports them as accepted only then', async () => {
    waiting = [bundle('m1')];
    expect(await hook('prompt', '{"prompt":"go"}')).toEqual(given('UserPromptSubmit', 'm1'));
    expect(seen).toEqual(['m1 accepted']);
    expect(prompts).toBe(1);
  });

  it('does not continue a turn for messages that begin none, which go along between tools', async () => {
    waiting = [bundle('m1')];
    isWaking = false;
    expect(await stop(false)).toBeNull();
    expect(await hook('tools', '{}')).not.toBeNull();
    expect(seen).toEqual(['m1 accepted']);
  });

  it('keeps a turn from ending while messages wait, and otherwise writes nothing', async () => {
    waiting = [bundle('m1'), bundle('m2')];
    expect(await stop(false)).toEqual(given('Stop', 'm1'));
    expect(await stop(true)).toEqual(given('Stop', 'm2'));
    expect(await stop(true)).toBeNull();
    expect(seen).toEqual(['m1 accepted', 'm2 accepted']);
  });

  it('requests no more text with a prompt than the agent passes on completely', async () => {
    await hook('prompt', '');
    await stop(false);
    expect(longest).toEqual([9900, Number.POSITIVE_INFINITY]);
  });

  it('does not keep a turn alive forever: the chain stops until the user sends a prompt', async () => {
    waiting = Array.from({ length: 40 }, (_, n) => bundle(`m${n}`));
    await stop(false);
    let taken = 1;
    while ((await stop(true)) !== null) taken += 1;
    expect(taken).toBe(25);
    expect(await hook('stop', 'what no agent writes')).toBeNull();
    expect(await hook('prompt', '')).not.toBeNull();
    expect(await stop(true)).not.toBeNull();
  });

  it('leaves the messages waiting if it is killed before it has written the text', async () => {
    waiting = [bundle('m1')];
    const socket = connect(server.socketPath);
    socket.write(`${JSON.stringify({ key: server.key, client: 'hook' })}\n`);
    socket.write(`${JSON.stringify({ id: 1, method: 'take', moment: 'stop', isAgain: false })}\n`);
    await expect.poll(() => longest.length).toBe(1);
    socket.destroy();
    await expect.poll(() => seen).toEqual(['back m1']);
  });

  it('stays until a message waits, and then ends with the code that begins a turn', async () => {
    const stays = run('wake', '{}');
    await hook('stop', '{}');
    waiting = [bundle('m1')];
    waker.look();
    expect(await stays).toEqual({ code: 2, stdout: '', stderr: 'They follow with this prompt.' });
    expect(seen).toEqual([]);
    expect(await hook('prompt', '')).toEqual(given('UserPromptSubmit', 'm1'));
  });

  it('takes no messages when the model refused, and lets the idle agent be woken again', async () => {
    await hook('prompt', '{}');
    waiting = [bundle('m1')];
    expect(await hook('failed', '{}')).toBeNull();
    expect(seen).toEqual([]);
    expect((await run('wake', '{}')).code).toBe(2);
  });

  it('that stays ends quietly when the run ends', async () => {
    const stays = run('wake', '{}');
    await hook('stop', '{}');
    await server.close();
    expect(await stays).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('writes nothing and does not fail if the runner is gone', async () => {
    await server.close();
    expect(await stop(false)).toBeNull();
  });

  it('says that "muster run" starts it if there is no run', async () => {
    const streams = { input: Readable.from([]), output: new PassThrough(), errors: new PassThrough() };
    await expect(runMcpHook({ moment: 'stop', env: {}, ...streams })).rejects.toThrow('muster run');
  });
});
