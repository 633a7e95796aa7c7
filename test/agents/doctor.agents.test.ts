import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type InstallableKind, installableKinds } from '../../runner/agents/agent-kinds.ts';
import { selfTest } from '../../runner/self-test/self-test.ts';
import type { SelfTestResult } from '../../runner/self-test/way.rules.ts';
import { pathWith } from './installed.ts';
import { type Block, startScriptedAnthropic } from './scripted-anthropic.ts';
import { type Output, startScriptedOpenai } from './scripted-openai.ts';
import { anthropicRefusals, openaiRefusals, type Refusal } from './scripted-refusal.ts';

type Agent = InstallableKind['id'];

/** The interface that both scripted models have in common. */
interface Model {
  url: string;
  requests: object[];
  refused: object[];
  refusal: Refusal | null;
  close(): Promise<void>;
}

const svc = fileURLToPath(new URL('../../bin/muster', import.meta.url));
const homes: string[] = [];
const models: Model[] = [];
afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

/** Returns the word with which a request asks for the tool, once per word. */
function taskReader() {
  const done = new Set<string>();
  return (request: object): string | null => {
    const word = JSON.stringify(request)
      .match(/with the word [^w]*(word-[0-9a-f]{16})/g)
      ?.at(-1)
      ?.slice(-21);
    if (word === undefined || done.has(word)) return null;
    done.add(word);
    return word;
  };
}

async function startModel(agent: Agent, { callsTools = true, answersAfterMs = 0 } = {}): Promise<Model> {
  const taskOf = taskReader();
  const wordIn = (request: object) => (callsTools ? taskOf(request) : null);
  const claude = (request: object): Block[] => {
    const word = wordIn(request);
    return [
      word === null
        ? { type: 'text', text: 'ok' }
        : { type: 'tool_use', name: 'mcp__svc__echo', input: { word } },
    ];
  };
  const codex = (request: object): Output[] => {
    const word = wordIn(request);
    return [
      word === null
        ? { type: 'text', text: 'ok' }
        : { type: 'call', namespace: 'mcp__svc', name: 'echo', input: { word } },
    ];
  };
  const slowly =
    <Request, Answer>(answer: (request: Request) => Answer) =>
    async (request: Request): Promise<Answer> => {
      await after(answersAfterMs);
      return answer(request);
    };
  const model =
    agent === 'claude-code'
      ? await startScriptedAnthropic(slowly(claude))
      : await startScriptedOpenai(slowly(codex));
  models.push(model);
  return model;
}

function environment(
  agent: Agent,
  { isLoggedIn = true } = {},
): { home: string; env: Record<string, string> } {
  const home = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
  homes.push(home);
  mkdirSync(join(home, '.codex'));
  if (isLoggedIn)
    writeFileSync(join(home, '.codex', 'auth.json'), '{"OPENAI_API_KEY":"sk-made-up-for-this-test"}');
  return {
    home,
    env: {
      PATH: pathWith(agent),
      HOME: home,
      ...(isLoggedIn && { ANTHROPIC_API_KEY: 'sk-ant-made-up-for-this-test' }),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  };
}

const runsIn = (home: string) => readdirSync(join(home, '.cache', 'svc', 'runs'));

function startDoctor(agent: Agent, modelUrl: string, settings?: object) {
  const { home, env } = environment(agent);
  if (settings !== undefined) {
    mkdirSync(join(home, '.claude'));
    writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
  }
  const child = spawn(process.execPath, [svc, 'doctor', agent, '--model-url', modelUrl, '--json'], {
    cwd: home,
    env,
  });
  return { home, child, runs: () => runsIn(home) };
}

/** Tests the agent without the command line, which would also look for a broker. */
async function test(
  agent: Agent,
  modelUrl: string,
  { isLoggedIn = true, limitMs = 24_000 } = {},
): Promise<Map<string, SelfTestResult>> {
  const { home, env } = environment(agent, { isLoggedIn });
  const runsDir = join(home, '.cache', 'svc', 'runs');
  const results = new Map<string, SelfTestResult>();
  for await (const result of selfTest({
    kind: agent,
    env,
    modelUrl,
    runsDir,
    bridgeCommand: { command: process.execPath, args: [svc, 'mcp-bridge'] },
    limitMs,
    timeOf: () => '14:05',
  }))
    results.set(result.check, result);
  expect(runsIn(home)).toEqual([]);
  return results;
}

const ownedWays = ['wake', 'tools', 'steer'];
const hookWays = ['hook prompt', 'hook tools', 'hook stop'];
const both = installableKinds.map(({ id }) => id);

describe('muster doctor <agent>', () => {
  it.each(both)('proves every way to the model of %s and leaves nothing behind', async (agent) => {
    const model = await startModel(agent);
    const { home, child } = startDoctor(agent, model.url);
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    await once(child, 'close');
    const findings = (JSON.parse(said) as { check: string; status: string; detail: string }[]).filter(
      ({ check }) => check.startsWith(agent),
    );
    const statusOf = (status: string) =>
      findings.filter((one) => one.status === status).map(({ check }) => check.slice(agent.length + 1));
    expect(statusOf('ok')).toEqual(['program', ...ownedWays, ...hookWays]);
    expect(statusOf('skip')).toEqual(agent === 'codex' ? ['hook wake'] : ['hook wake', 'channel']);
    expect(findings.find(({ check }) => check.endsWith('steer'))?.detail).toMatch(
      /in the turn under way \(\d+\.\d s\)$/,
    );
    expect(runsIn(home)).toEqual([]);
  });

  it.each(both)(
    'does not call a slow model of %s broken, and proves all ways in more time',
    async (agent) => {
      const model = await startModel(agent, { answersAfterMs: 4000 });
      const short = await test(agent, model.url, { limitMs: 11_000 });
      expect(short.get('wake')?.outcome).toBe('ok');
      expect([...short.values()].filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect([...short.values()].some(({ detail }) => detail.includes('pass --timeout 120'))).toBe(true);
      const long = await test(agent, model.url, { limitMs: 120_000 });
      for (const way of [...ownedWays, ...hookWays])
        expect([way, long.get(way)?.outcome]).toEqual([way, 'ok']);
    },
  );
  it('names the settings that keep messages and tools from Claude Code', async () => {
    const model = await startModel('claude-code');
    const { home, child } = startDoctor('claude-code', model.url, {
      disableAllHooks: true,
      disabledMcpjsonServers: ['svc'],
    });
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    await once(child, 'close');
    const findings = JSON.parse(said) as { check: string; status: string; detail: string }[];
    const settings = findings.filter(({ check }) => check === 'claude-code settings');
    expect(settings.map(({ status }) => status)).toEqual(['warn', 'warn']);
    expect(settings[0]?.detail).toContain(`"disableAllHooks" in "${join(home, '.claude', 'settings.json')}"`);
    expect(settings[1]?.detail).toContain('"disabledMcpjsonServers"');
    const statusOf = (way: string) => findings.find(({ check }) => check === `claude-code ${way}`)?.status;
    // As the settings say, neither comes through.
    expect({ tools: statusOf('tools'), hook: statusOf('hook prompt') }).toEqual({
      tools: 'fail',
      hook: 'fail',
    });
  });

  it.each(both)('says that the model of %s called no tool', async (agent) => {
    const model = await startModel(agent, { callsTools: false });
    const results = await test(agent, model.url);
    expect(results.get('wake')?.outcome).toBe('ok');
    expect(results.get('tools')).toMatchObject({
      outcome: 'failed',
      detail: 'the model answered, but called no tool',
    });
    expect(results.get('steer')?.outcome).toBe('not tested');
    expect(results.get('hook prompt')?.outcome).toBe('ok');
    expect(results.get('hook tools')?.outcome).toBe('not tested');
  });

  const refusals: [Agent, string, Refusal][] = [
    ['claude-code', 'not logged in (invalid x-api-key)', anthropicRefusals.login],
    ['claude-code', 'limit until 14:05', anthropicRefusals.limit],
    ['claude-code', 'overloaded', anthropicRefusals.overloaded],
    ['codex', 'not logged in (Incorrect API key provided.)', openaiRefusals.login],
    ['codex', 'limit until 14:05', openaiRefusals.limit],
    ['codex', 'overloaded', openaiRefusals.overloaded],
  ];
  it.each(refusals)('fails for %s while its model refuses: %s', async (agent, cause, refusal) => {
    const model = await startModel(agent);
    model.refusal = refusal;
    const results = await test(agent, model.url);
    expect(results.get('wake')?.outcome).toBe('failed');
    expect(results.get('wake')?.detail).toContain(`the model refuses: ${cause}`);
    const others = [...ownedWays.slice(1), ...hookWays].map((way) => results.get(way)?.outcome);
    expect(new Set(others)).toEqual(new Set(['not tested']));
    expect(model.requests).toEqual([]);
  });

  it.each(both)('fails for %s if its model is unreachable', async (agent) => {
    const model = await startModel(agent);
    model.refusal = 'no connection';
    const results = await test(agent, model.url);
    expect(results.get('wake')?.outcome).toBe('failed');
    expect(results.get('wake')?.detail).toContain('the model refuses: unreachable');
    expect(results.get('wake')?.remedy).toContain('check the network');
  });

  it.each(both)('fails for %s without a login', async (agent) => {
    const model = await startModel(agent);
    // A real model refuses the request that Codex sends nevertheless.
    if (agent === 'codex') model.refusal = openaiRefusals.login;
    const results = await test(agent, model.url, { isLoggedIn: false });
    expect(results.get('wake')?.outcome).toBe('failed');
    expect(results.get('wake')?.detail).toContain('the model refuses: not logged in');
    expect(model.requests).toEqual([]);
  });

  it.each(both)('ends for %s whose model never answers', async (agent) => {
    const silent = createServer((request) => request.resume());
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const results = await test(agent, `http://127.0.0.1:${port}`, { limitMs: 4000 });
    silent.closeAllConnections();
    silent.close();
    expect([...results.values()].find(({ outcome }) => outcome === 'failed')?.detail).toContain(
      'within 4.0 s',
    );
    expect(results.get('hook stop')?.detail).toMatch(/^not tested: out of time/);
  });

  it.each(both)('leaves nothing of %s behind when it is interrupted', async (agent) => {
    const asked = Promise.withResolvers<void>();
    const silent = createServer((request) => {
      request.resume();
      if (request.method === 'POST') asked.resolve();
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const { child, runs } = startDoctor(agent, `http://127.0.0.1:${port}`);
    await asked.promise;
    expect(runs().length).toBeGreaterThan(0);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
    silent.closeAllConnections();
    silent.close();
    expect(runs()).toEqual([]);
  });
});
