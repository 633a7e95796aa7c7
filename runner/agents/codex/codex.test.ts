import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { parse } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, AgentError, type AgentSetting } from '../agent.ts';
import { codex } from './codex.ts';

let folder: string;
let agent: Agent | null;
let previous: string | null;
let kept: (string | null)[];
let evidence: string[];
let turns: boolean[];
let setbacks: string[];
let transcript: string[];
let logged: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-codex-'));
  for (const name of ['bin', 'work', 'home/.codex', `runs/run-${basename(folder)}`])
    mkdirSync(join(folder, name), { recursive: true });
  const program = join(import.meta.dirname, 'testing/small-codex.ts');
  writeFileSync(join(folder, 'bin/codex'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(folder, 'bin/codex'), 0o755);
  writeFileSync(join(folder, 'home/.codex/auth.json'), '{"OPENAI_API_KEY":"sk-made-up"}');
  agent = null;
  [previous, kept] = [null, []];
  [evidence, turns, setbacks, transcript, logged] = [[], [], [], [], []];
});
afterEach(async () => {
  await agent?.restore();
  rmSync(folder, { recursive: true });
});

const setting = (change: Partial<AgentSetting> = {}): AgentSetting => ({
  cwd: join(folder, 'work'),
  args: [],
  env: {
    HOME: join(folder, 'home'),
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    RECORD: join(folder, 'record'),
  },
  mode: 'owned',
  isUnattended: false,
  member: 'ben',
  runFolder: join(folder, 'runs', `run-${basename(folder)}`),
  conversation: { previous, folder: join(folder, 'kept'), keep: (id) => void kept.push(id) },
  bridge: {
    command: 'node',
    args: ['svc', 'mcp-bridge'],
    env: { SVC_RUNNER_SOCKET: '/s', SVC_RUNNER_KEY: 'k' },
  },
  modelUrl: null,
  instructions: 'You are ben.',
  events: {
    onEvidence: (ids, state) => evidence.push(...ids.map((id) => `${id} ${state}`)),
    onTurn: (isActive) => turns.push(isActive),
    onOutcome: (ids, failure) =>
      evidence.push(
        ...ids.map((id) => `${id} ${failure === null ? 'completed' : `failed: ${failure.kind}`}`),
      ),
    onSetback: ({ status, kind, message }) => setbacks.push(`${status} ${kind} ${message}`),
    onTranscript: (line) => transcript.push(line),
  },
  log: (event, data) => logged.push(`${event} ${JSON.stringify(data ?? {})}`),
  tell: () => undefined,
  ...change,
});

async function start(change: Partial<AgentSetting> = {}): Promise<Agent> {
  agent = await codex.prepare(setting(change));
  await agent.start();
  return agent;
}

const asked = (method: string): Record<string, unknown>[] =>
  readFileSync(join(folder, 'record'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => line.method === method)
    .map(({ params }) => params);
const homes = () => readdirSync(join(folder, 'runs')).filter((name) => name.startsWith('codex-'));
const homePath = () => join(folder, 'runs', homes()[0] ?? 'none');
const configOf = () => parse(readFileSync(join(homePath(), 'config.toml'), 'utf8'));
const until = (isSo: () => boolean) => expect.poll(isSo).toBe(true);
const isIdle = () => turns.at(-1) === false;

describe('Codex', () => {
  it('starts a turn for a message while it is idle, whose end says that its model completed it', async () => {
    const running = await start();
    await running.wake({ messageIds: ['m1', 'm2'], text: 'plain' });
    await until(isIdle);
    expect(asked('turn/start')).toMatchObject([{ threadId: 't1', input: [{ type: 'text', text: 'plain' }] }]);
    expect(evidence).toEqual(['m1 completed', 'm2 completed']);
    expect(turns[0]).toBe(true);
    expect(transcript).toEqual(['one\u2028still one', 'two']);
  });

  it('is steered during a turn, with the turn for which it is meant', async () => {
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'long' });
    await running.steer({ messageIds: ['m2'], text: 'and this' });
    await until(isIdle);
    expect(asked('turn/steer')).toMatchObject([{ expectedTurnId: 'turn-1', input: [{ text: 'and this' }] }]);
    expect(asked('turn/start')).toHaveLength(1);
    expect(evidence).toContain('m2 completed');
  });

  it('ends the commands of a turn that is interrupted, and leaves those of earlier turns alone', async () => {
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'long command' });
    await until(() => transcript.includes('→ tail -f log'));
    expect(await running.interrupt?.()).toBe(true);
    expect(asked('thread/backgroundTerminals/terminate')).toEqual([
      { threadId: 't1', processId: 'process of c2' },
    ]);
    expect(asked('initialize')).toMatchObject([{ capabilities: { experimentalApi: true } }]);
  });

  it('is interrupted also if it cannot name its commands, and the log says so', async () => {
    const { env } = setting();
    const running = await start({ env: { ...env, NO_TERMINALS: '1' } });
    await running.wake({ messageIds: ['m1'], text: 'long command' });
    await until(() => transcript.includes('→ tail -f log'));
    expect(await running.interrupt?.()).toBe(true);
    await until(isIdle);
    expect(logged.join('\n')).toContain('commands of the interrupted turn may go on');
  });

  it('starts a new turn if the turn ended before the message arrived', async () => {
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'long' });
    await running.steer({ messageIds: ['m2'], text: 'ended meanwhile' });
    await until(() => evidence.includes('m2 completed') && isIdle());
    expect(asked('turn/start')).toHaveLength(2);
  });

  it('reports what was steered into a turn that failed before it took effect as part of the failure', async () => {
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'long' });
    await running.steer({ messageIds: ['m2'], text: 'dropped' });
    await until(() => evidence.includes('m2 failed: httpConnectionFailed') && isIdle());
    expect(evidence).toContain('m1 failed: httpConnectionFailed');
    expect(asked('turn/start')).toHaveLength(1);
    expect(setbacks).toEqual(['503 responseStreamDisconnected unexpected status 503']);
    expect(transcript).toContain('the turn failed: the model is not reachable');
  });

  it('does not mistake the turns of other conversations for its own', async () => {
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'long, with other thread' });
    await running.steer({ messageIds: ['m2'], text: 'more' });
    await until(isIdle);
    expect(asked('turn/steer')).toHaveLength(1);
  });

  it('reports no evidence for a message that it refused', async () => {
    const running = await start();
    await expect(running.wake({ messageIds: ['m1'], text: 'refuse' })).rejects.toThrow(
      'Codex refused the request: not now',
    );
    expect(evidence).toEqual([]);
  });

  it('continues the conversation of the last run, or begins a new one if that is gone', async () => {
    previous = 't1';
    const running = await start();
    expect(running.isContinuing).toBe(true);
    expect(asked('thread/resume')).toMatchObject([{ threadId: 't1', cwd: join(folder, 'work') }]);
    expect(asked('thread/start')).toEqual([]);
    await running.restore();

    previous = 'gone';
    const next = await start();
    expect(next.isContinuing).toBe(false);
    expect(asked('thread/start')).toHaveLength(1);
    expect(kept).toEqual(['t1', 't1']);
    expect(logged.join('\n')).toContain('a new one begins');
  });

  it('is denied permission when it asks, and the log says so', async () => {
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'ask' });
    await until(isIdle);
    expect(transcript).toContain('answered {"decision":"decline"}');
    expect(logged.join('\n')).toContain('item/commandExecution/requestApproval');
    expect(asked('thread/start')).toEqual([{ cwd: join(folder, 'work') }]);
  });

  it('asks for no permission when it runs unattended', async () => {
    await start({ isUnattended: true });
    expect(asked('thread/start')).toMatchObject([{ approvalPolicy: 'never', sandbox: 'danger-full-access' }]);
    expect(logged.join('\n')).toContain('permission questions are bypassed');
  });

  it('says why it does not start, and leaves nothing behind', async () => {
    agent = await codex.prepare(setting({ args: ['--broken'] }));
    await expect(agent.start()).rejects.toThrow(/cannot be started: .*the configuration is not understood/);
    await agent.restore();
    expect(homes()).toEqual([]);
  });

  it('ends a message in transit with an error when it is killed, and reports how it ended', async () => {
    const running = await start();
    process.kill(running.pid ?? 0, 'SIGKILL');
    expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await expect(running.wake({ messageIds: ['m1'], text: 'plain' })).rejects.toThrow(AgentError);
  });

  it('is refused by number if it is too old, with the command that updates it', async () => {
    writeFileSync(join(folder, 'bin/codex'), '#!/bin/sh\necho codex-cli 0.162.9\n');
    await expect(codex.capabilities(setting())).rejects.toThrow(
      'Codex 0.162.9 is too old: 0.163.0 or newer is needed. Update it with "npm install -g @openai/codex".',
    );
  });

  it('names what to install if it is missing', async () => {
    await expect(codex.capabilities({ ...setting(), env: { PATH: '/nowhere' } })).rejects.toThrow(
      'npm install -g @openai/codex',
    );
    expect(await codex.capabilities(setting())).toEqual({
      version: 'Codex CLI 9.9.9',
      canWake: true,
      hasChannel: false,
      hooks: null,
    });
    expect((await codex.capabilities(setting({ mode: 'terminal' }))).canWake).toBe(false);
  });
});

describe('the home of a run', () => {
  it('is private, and has the login linked and the bridge registered beside the person’s settings', async () => {
    const own =
      'model = "m"\ndeveloper_instructions = "Be brief."\n[mcp_servers.mine]\ncommand = "x"\n[projects."/p"]\ntrust_level = "trusted"\n';
    writeFileSync(join(folder, 'home/.codex/config.toml'), own);
    agent = await codex.prepare(setting());
    expect(statSync(homePath()).mode & 0o777).toBe(0o700);
    expect(statSync(join(homePath(), 'config.toml')).mode & 0o777).toBe(0o600);
    expect(lstatSync(join(homePath(), 'auth.json')).isSymbolicLink()).toBe(true);
    expect(configOf()).toMatchObject({
      model: 'm',
      developer_instructions: 'Be brief.\n\nYou are ben.',
      mcp_servers: {
        mine: { command: 'x' },
        svc: {
          command: 'node',
          args: ['svc', 'mcp-bridge'],
          env: { SVC_RUNNER_SOCKET: '/s', SVC_RUNNER_KEY: 'k' },
          default_tools_approval_mode: 'approve',
        },
      },
      projects: { '/p': { trust_level: 'trusted' } },
    });
    expect(readFileSync(join(folder, 'home/.codex/config.toml'), 'utf8')).toBe(own);
  });

  it('keeps the newest 20 conversations of the last 30 days, and takes none along that are older', async () => {
    const day = join(folder, 'kept/sessions/2026/11/22');
    mkdirSync(day, { recursive: true });
    const now = Date.now() / 1000;
    for (let n = 0; n < 25; n++) {
      const path = join(day, `rollout-${n}.jsonl`);
      writeFileSync(path, '{}');
      utimesSync(path, now, n === 24 ? now - 31 * 86_400 : now - n);
    }
    agent = await codex.prepare(setting());
    expect(readdirSync(join(homePath(), 'sessions/2026/11/22')).sort()).toEqual(
      Array.from({ length: 20 }, (_, n) => `rollout-${n}.jsonl`).sort(),
    );
    await agent.restore();
    expect(readdirSync(day)).toHaveLength(20);
  });

  it.each(['restore', 'restoreSync'] as const)('is gone after %s, which can be called twice', async (way) => {
    agent = await start();
    expect(homes()).toHaveLength(1);
    await agent[way]();
    await agent[way]();
    expect(homes()).toEqual([]);
    expect(existsSync(join(folder, 'home/.codex/auth.json'))).toBe(true);
  });

  it('is removed after SIGKILL by the next start, which leaves the homes of living runs alone', async () => {
    const module = new URL('./codex.ts', import.meta.url).href;
    const { events: _, log: __, ...plain } = setting();
    const script = `import { codex } from ${JSON.stringify(module)};
      await codex.prepare({ ...${JSON.stringify(plain)}, events: {}, log() {} });
      process.stdout.write('prepared'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const [theirs] = homes();
    await (await codex.prepare(setting())).restore();
    expect(homes()).toEqual([theirs]);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    agent = await codex.prepare(setting());
    expect(homes()).toHaveLength(1);
    expect(homes()).not.toContain(theirs);
    expect(logged.join('\n')).toContain('{"swept":1}');
    expect(existsSync(join(folder, 'home/.codex/auth.json'))).toBe(true);
  });

  it('returns a login that Codex renewed to the person, but not over one that changed as well', async () => {
    const login = join(folder, 'home/.codex/auth.json');
    for (const changed of [false, true]) {
      agent = await codex.prepare(setting());
      // As a program does that replaces the file instead of writing to it.
      rmSync(join(homePath(), 'auth.json'));
      writeFileSync(join(homePath(), 'auth.json'), `{"renewed":${changed}}`);
      if (changed) writeFileSync(login, '{"changed":true}');
      await agent.restore();
      expect(readFileSync(login, 'utf8')).toBe(changed ? '{"changed":true}' : '{"renewed":false}');
    }
  });

  it('is not created for a configuration that is not TOML, whose text is not repeated', async () => {
    writeFileSync(join(folder, 'home/.codex/config.toml'), 'a = 1\nkey = sk-secret\n');
    const error = await codex.prepare(setting()).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(AgentError);
    expect(String(error)).toMatch(/config\.toml" is not valid TOML \(line 2\)\. Correct it/);
    expect(String(error)).not.toContain('sk-secret');
    expect(homes()).toEqual([]);
  });
});
