import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent, AgentSetting } from '../../runner/agents/agent.ts';
import { codex } from '../../runner/agents/codex/codex.ts';
import { keyVariable, socketVariable } from '../../runner/bridge/bridge-protocol.ts';
import { type BridgeServer, startBridgeServer } from '../../runner/bridge/bridge-server.ts';
import { pathWith } from './installed.ts';
import { type ResponsesScript, type ScriptedResponses, startScriptedOpenai } from './scripted-openai.ts';

let folder: string;
let home: string;
let bridge: BridgeServer;
let model: ScriptedResponses;
let script: ResponsesScript;
let agent: Agent | null;
let previous: string | null;
let kept: (string | null)[];
let calls: { name: string; input: unknown }[];
let said: { evidence: string[]; turns: boolean[]; transcript: string[]; log: string[] };

const tool = {
  name: 'roster',
  description: 'Who is there.',
  inputSchema: { type: 'object', properties: {} },
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-codex-'));
  home = join(folder, 'home');
  mkdirSync(join(home, '.codex'), { recursive: true });
  mkdirSync(join(folder, 'work'));
  mkdirSync(join(folder, 'runs', `run-${basename(folder)}`), { recursive: true });
  const auth = { OPENAI_API_KEY: 'sk-made-up', tokens: null, last_refresh: null };
  writeFileSync(join(home, '.codex/auth.json'), JSON.stringify(auth));
  writeFileSync(
    join(home, '.codex/config.toml'),
    'model = "gpt-5"\n[mcp_servers.gone]\ncommand = "/nowhere"\n',
  );
  agent = null;
  [previous, kept] = [null, []];
  calls = [];
  said = { evidence: [], turns: [], transcript: [], log: [] };
  script = () => [{ type: 'text', text: 'done' }];
  model = await startScriptedOpenai((request, turn) => script(request, turn));
  bridge = await startBridgeServer({
    instructions: () => 'the team',
    list: () => [tool],
    async call(name, input) {
      calls.push({ name, input });
      return { content: [{ type: 'text', text: 'ada, ben' }] };
    },
    handOver: async () => null,
    onInitialized: () => undefined,
    onGone: () => undefined,
  });
});
afterEach(async () => {
  await agent?.stop();
  await agent?.restore();
  await bridge.close();
  await model.close();
  rmSync(folder, { recursive: true });
});

const setting = (change: Partial<AgentSetting> = {}): AgentSetting => ({
  cwd: join(folder, 'work'),
  args: [],
  env: { HOME: home, PATH: pathWith('codex') },
  mode: 'owned',
  isUnattended: false,
  member: 'ben',
  runFolder: join(folder, 'runs', `run-${basename(folder)}`),
  conversation: { previous, folder: join(folder, 'kept'), keep: (id) => void kept.push(id) },
  bridge: {
    command: process.execPath,
    args: [join(import.meta.dirname, 'stub-bridge.ts')],
    env: { [socketVariable]: bridge.socketPath, [keyVariable]: bridge.key },
  },
  modelUrl: model.url,
  instructions: 'You are ben of the team.',
  events: {
    onEvidence: (ids, state) => said.evidence.push(...ids.map((id) => `${id} ${state}`)),
    onTurn: (isActive) => said.turns.push(isActive),
    onOutcome: (ids, failure) =>
      said.evidence.push(...ids.map((id) => `${id} ${failure === null ? 'completed' : 'failed'}`)),
    onSetback: () => undefined,
    onTranscript: (line) => said.transcript.push(line),
  },
  log: (event, data) => said.log.push(`${event} ${JSON.stringify(data ?? {})}`),
  tell: () => undefined,
  ...change,
});

async function start(change: Partial<AgentSetting> = {}): Promise<Agent> {
  agent = await codex.prepare(setting(change));
  await agent.start();
  return agent;
}

const homes = () => readdirSync(join(folder, 'runs')).filter((name) => name.startsWith('codex-'));
const textOf = (turn: number) => JSON.stringify(model.requests[turn]);
const until = (isSo: () => boolean) => expect.poll(isSo).toBe(true);

describe('the real Codex', () => {
  it('reports its version and that it can be woken', async () => {
    const answer = await codex.capabilities(setting());
    expect(answer.version).toMatch(/^Codex CLI \d+\.\d+\.\d+$/);
    expect(answer.canWake).toBe(true);
  });

  it('is woken by a message, which reaches its model with its instructions and the person’s key', async () => {
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'hello from ada' });
    await until(() => said.evidence.includes('m1 completed'));
    expect(textOf(0)).toContain('hello from ada');
    expect(textOf(0)).toContain('You are ben of the team.');
    expect(model.authorizations[0]).toBe('Bearer sk-made-up');
    expect(said.evidence.at(-1)).toBe('m1 completed');
    expect(said.turns[0]).toBe(true);
    expect(said.transcript).toContain('done');
  });

  it('calls a tool of the bridge without asking for permission, and continues with the result', async () => {
    script = (_, turn) =>
      turn === 0
        ? [{ type: 'call', namespace: 'mcp__svc', name: 'roster', input: {} }]
        : [{ type: 'text', text: 'they are there' }];
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'who is there?' });
    await until(() => said.turns.at(-1) === false);
    expect(calls).toEqual([{ name: 'roster', input: {} }]);
    expect(textOf(1)).toContain('ada, ben');
    expect(said.transcript).toEqual(['→ svc.roster', 'they are there']);
  });

  it('is steered in the middle of a turn: the message is in the next request, and only then completed', async () => {
    const { promise: free, resolve: go } = Promise.withResolvers<void>();
    script = async (_, turn) => {
      if (turn > 0) return [{ type: 'text', text: 'both seen' }];
      await free;
      return [{ type: 'call', namespace: 'mcp__svc', name: 'roster', input: {} }];
    };
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'first' });
    await until(() => model.requests.length === 1);
    await running.steer({ messageIds: ['m2'], text: 'second <thought>' });
    expect(said.evidence.filter((one) => one.startsWith('m2'))).toEqual(['m2 accepted']);
    go();
    await until(() => said.evidence.includes('m2 completed'));
    expect(textOf(1)).toContain('second <thought>');
    expect(said.evidence.at(-1)).toBe('m2 completed');
    expect(model.requests).toHaveLength(2);
  });

  it('begins a new turn in the same conversation for a message that arrives after the end of a turn', async () => {
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'first' });
    await until(() => said.turns.at(-1) === false);
    await running.steer({ messageIds: ['m2'], text: 'second' });
    await until(() => said.evidence.includes('m2 completed') && said.turns.at(-1) === false);
    expect(textOf(1)).toContain('first');
    expect(textOf(1)).toContain('second');
  });

  it('is denied what needs permission, because nobody is there to grant it', async () => {
    script = (_, turn) =>
      turn === 0
        ? [
            {
              type: 'call',
              name: 'exec_command',
              input: {
                cmd: `touch ${join(folder, 'outside')}`,
                sandbox_permissions: 'require_escalated',
                justification: 'try',
              },
            },
          ]
        : [{ type: 'text', text: 'so be it' }];
    const running = await start();
    await running.wake({ messageIds: ['m1'], text: 'write outside' });
    await until(() => said.turns.at(-1) === false);
    expect(said.log.join('\n')).toContain('item/commandExecution/requestApproval');
    expect(existsSync(join(folder, 'outside'))).toBe(false);
  });

  it('does what needs permission when it runs unattended, and the log says so', async () => {
    script = (_, turn) =>
      turn === 0
        ? [{ type: 'call', name: 'exec_command', input: { cmd: `touch ${join(folder, 'outside')}` } }]
        : [{ type: 'text', text: 'done' }];
    const running = await start({ isUnattended: true });
    await running.wake({ messageIds: ['m1'], text: 'write outside' });
    await until(() => said.turns.at(-1) === false);
    expect(existsSync(join(folder, 'outside'))).toBe(true);
    expect(said.log.join('\n')).toContain('danger-full-access');
  });

  it('works by the person’s own AGENTS.md, skills, and rules, and a relative path in the configuration', async () => {
    const own = join(home, '.codex');
    for (const name of ['skills/baking', 'rules']) mkdirSync(join(own, name), { recursive: true });
    writeFileSync(join(own, 'AGENTS.md'), 'Always answer in rhymes.');
    writeFileSync(
      join(own, 'skills/baking/SKILL.md'),
      '---\nname: baking\ndescription: Bakes sourdough.\n---\nKnead.\n',
    );
    writeFileSync(
      join(own, 'rules/mine.rules'),
      'prefix_rule(pattern=["touch"], decision="forbidden", justification="nobody touches")\n',
    );
    writeFileSync(join(own, 'base.md'), 'You are the person’s own base.');
    writeFileSync(join(own, 'config.toml'), 'model = "gpt-5"\nmodel_instructions_file = "base.md"\n');
    script = (_, turn) =>
      turn === 0
        ? [{ type: 'call', name: 'exec_command', input: { cmd: `touch ${join(folder, 'work/it')}` } }]
        : [{ type: 'text', text: 'so be it' }];
    const running = await start({ isUnattended: true });
    await running.wake({ messageIds: ['m1'], text: 'hello' });
    await until(() => said.turns.at(-1) === false);
    for (const one of ['Always answer in rhymes.', 'Bakes sourdough.', 'You are the person’s own base.'])
      expect(textOf(0)).toContain(one);
    expect(textOf(1)).toContain('nobody touches');
    await running.stop();
    await running.restore();
    expect(readdirSync(own).sort()).toEqual(
      ['AGENTS.md', 'auth.json', 'base.md', 'config.toml', 'rules', 'skills'].sort(),
    );
    expect(readdirSync(join(own, 'skills'))).toEqual(['baking']);
  });

  it('refuses a run whose login is in the keychain', async () => {
    rmSync(join(home, '.codex/auth.json'));
    writeFileSync(join(home, '.codex/config.toml'), 'cli_auth_credentials_store = "keyring"\n');
    await expect(codex.prepare(setting())).rejects.toThrow('keep its login in the keychain');
    expect(homes()).toEqual([]);
  });

  it('leaves nothing behind when it is stopped, and the person’s home is as before', async () => {
    const before = readFileSync(join(home, '.codex/auth.json'), 'utf8');
    const running = await start();
    const pid = running.pid ?? 0;
    expect(homes()).toHaveLength(1);
    await running.stop();
    await running.exited;
    await running.restore();
    expect(homes()).toEqual([]);
    expect(() => process.kill(pid, 0)).toThrow();
    expect(readdirSync(join(home, '.codex')).sort()).toEqual(['auth.json', 'config.toml']);
    expect(readFileSync(join(home, '.codex/auth.json'), 'utf8')).toBe(before);
    await expect.poll(() => bridge.isConnected).toBe(false);
  });

  it('does not start without the bridge, and says why', async () => {
    agent = await codex.prepare(setting({ bridge: { command: '/nowhere/svc', args: [], env: {} } }));
    await expect(agent.start()).rejects.toThrow(/Codex cannot be started: .*svc/);
  });
});
