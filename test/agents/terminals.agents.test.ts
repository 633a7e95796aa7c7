/** The real agents in a real terminal: what the person sees, what the model gets, and when it wakes. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { registerBridge } from '../../runner/registration/registry-file.ts';
import { pathWith } from './installed.ts';
import { type ScriptedModel, startScriptedAnthropic } from './scripted-anthropic.ts';
import { type ScriptedResponses, startScriptedOpenai } from './scripted-openai.ts';
import { anthropicRefusals } from './scripted-refusal.ts';
import { openTerminal, type Terminal } from './tmux.ts';

const svc = fileURLToPath(new URL('../../bin/muster', import.meta.url));
const apiKey = 'sk-ant-made-up-for-this-test';

let team: TestBroker;
let folder: string;
let terminal: Terminal;
let model: ScriptedModel | ScriptedResponses;
afterEach(async () => {
  terminal.close();
  await model.close();
  await team.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

/** Both agents would ask a new person for a theme, for trust, and for a login. */
async function open(
  kind: 'claude-code' | 'codex',
  modelUrl: string,
  { more = {}, before = () => undefined }: { more?: Record<string, string>; before?(): void } = {},
): Promise<void> {
  team = await startTestBroker({ onDisk: true, members: { ada: ['admin'], ben: [] } });
  folder = await mkdtemp(join(tmpdir(), 'muster-terminal-'));
  const [home, cwd] = [join(folder, 'home'), join(folder, 'work')];
  for (const path of [cwd, join(home, '.codex')]) await mkdir(path, { recursive: true });
  await writeFile(
    join(home, '.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
      projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }),
  );
  await writeFile(join(home, '.codex', 'auth.json'), '{"OPENAI_API_KEY":"sk-made-up-for-this-test"}');
  await writeFile(
    join(home, '.codex', 'config.toml'),
    `[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`,
  );
  before();
  // In tmux, Claude Code would count a run that another session started as the person's own.
  const outside = ['env', '-u', 'TMUX', '-u', 'TMUX_PANE'];
  const command = [
    ...outside,
    process.execPath,
    svc,
    'run',
    kind,
    '--terminal',
    '--cwd',
    cwd,
    '--model-url',
    modelUrl,
  ];
  terminal = openTerminal(command, {
    cwd,
    env: {
      PATH: pathWith(kind),
      HOME: home,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      SVC_URL: team.url,
      SVC_TOKEN: team.token('ben'),
      ANTHROPIC_API_KEY: apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...more,
    },
  });
}

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`${what} did not happen\n${terminal.screen()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const shows = (text: string) => until(() => terminal.screen().includes(text), `"${text}" on the screen`);
/** An agent may take Enter right after typed text for a part of a pasted text, so it is pressed again. */
async function enter(text: string, isSeen: () => boolean): Promise<void> {
  terminal.type(text);
  await shows(text);
  await until(async () => {
    terminal.press('Enter');
    await new Promise((resolve) => setTimeout(resolve, 200));
    return isSeen();
  }, `the turn for "${text}"`);
}
const say = async (body: string) =>
  (await team.as('ada').call('push', { body: { to: 'ben', body } })).message.id;
const isConnected = async () =>
  (await team.as('ada').call('roster', {})).connected.some(
    ({ name, connected }) => name === 'ben' && connected > 0,
  );
const starts = () =>
  until(async () => (await isConnected()) && /^[❯›]/m.test(terminal.screen()), 'the start');
const receiptOf = async (id: string) =>
  (await team.as('ada').call('receipts', { params: { id } })).receipts[0];
const stateOf = async (id: string) => (await receiptOf(id))?.state;

describe('Claude Code in a terminal', () => {
  it('wakes when it is idle, gets messages in the middle of a turn, and shows the person who wrote', async () => {
    const held = Promise.withResolvers<void>();
    const anthropic = await startScriptedAnthropic(async (request) => {
      const recent = JSON.stringify(request.messages.slice(-3));
      if (recent.includes('look around') && !recent.includes('tool_result')) {
        await held.promise;
        return [{ type: 'tool_use', name: 'mcp__svc__roster', input: {} }];
      }
      return [{ type: 'text', text: 'well' }];
    });
    model = anthropic;
    const got = (text: string) =>
      anthropic.requests.some((one) => JSON.stringify(one.messages).includes(text));
    await open('claude-code', anthropic.url);
    await starts();
    const first = await say('hello, idle one');
    await shows('ada → you: hello, idle one');
    await until(() => got('hello, idle one'), 'the request with the message');
    await until(async () => (await stateOf(first)) === 'in_context', 'the proof');

    await enter('look around', () => got('look around'));
    await say('while you work');
    await shows('1 unread message from your team');
    held.resolve();
    await shows('ada → you: while you work');
    await until(() => got('while you work'), 'the message in the turn');
    await until(() => !terminal.screen().includes('unread message'), 'the empty status line');
    expect(terminal.screen()).not.toContain('Stop hook error');
    const everything = anthropic.requests.map((one) => JSON.stringify(one.messages)).join('\n');
    expect(everything).not.toContain('again=');
  });

  it('keeps a transcript if the run was started by another session of Claude Code', async () => {
    const anthropic = await startScriptedAnthropic(() => [{ type: 'text', text: 'well' }]);
    model = anthropic;
    await open('claude-code', anthropic.url, {
      more: {
        CLAUDECODE: '1',
        CLAUDE_CODE_CHILD_SESSION: '1',
        CLAUDE_CODE_ENTRYPOINT: 'cli',
        CLAUDE_CODE_SESSION_ID: '6d1c1a86-5a55-4a6b-9d0b-0f4f6a3d7a11',
      },
    });
    await starts();
    await enter('look around', () =>
      anthropic.requests.some((one) => JSON.stringify(one.messages).includes('look around')),
    );
    const projects = join(folder, 'home', '.claude', 'projects');
    const transcripts = () =>
      existsSync(projects)
        ? readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) =>
            name.endsWith('.jsonl'),
          )
        : [];
    await until(() => transcripts().length > 0, 'the transcript');
  });

  it('has its tools, and asks nothing, while another run has the entry in .mcp.json', async () => {
    const anthropic = await startScriptedAnthropic((request) =>
      JSON.stringify(request.messages.at(-1)).includes('tool_result')
        ? [{ type: 'text', text: 'done' }]
        : [{ type: 'tool_use', name: 'mcp__svc__send', input: { to: 'ada', body: 'it is ben' } }],
    );
    model = anthropic;
    const other = {
      command: '/nowhere',
      args: [],
      env: { SVC_RUNNER_SOCKET: '/nowhere', SVC_RUNNER_KEY: 'k' },
    };
    await open('claude-code', anthropic.url, {
      before() {
        const keptDir = join(folder, 'home', '.cache', 'svc', 'runs');
        const taken = registerBridge({ cwd: join(folder, 'work'), member: 'cyn', bridge: other, keptDir });
        onTestFinished(() => void taken.restore());
      },
    });
    await starts();
    await say('who is there?');
    await until(
      async () =>
        (await team.as('ada').call('history', { query: { with: 'ben' } })).messages.some(
          ({ body }) => body === 'it is ben',
        ),
      'the answer by tool',
    );
    expect(terminal.screen()).not.toContain('MCP server');
  });

  it('says at the start that a setting of the person keeps messages from it', async () => {
    model = await startScriptedAnthropic(() => [{ type: 'text', text: 'well' }]);
    await open('claude-code', model.url, {
      before() {
        mkdirSync(join(folder, 'home', '.claude'));
        writeFileSync(join(folder, 'home', '.claude', 'settings.json'), '{"disableAllHooks":true}');
      },
    });
    await shows('"disableAllHooks" in');
  });

  it('is woken again after its model refused, and nothing is printed onto its screen', async () => {
    const anthropic = await startScriptedAnthropic(() => [{ type: 'text', text: 'well' }]);
    model = anthropic;
    anthropic.refusal = anthropicRefusals.login;
    await open('claude-code', anthropic.url);
    await starts();
    const id = await say('while refusing');
    await until(() => anthropic.refused.length > 0, 'a refused request');
    await until(async () => (await receiptOf(id))?.model?.cause === 'login', 'the cause in the receipt');
    expect(await stateOf(id)).not.toBe('in_context');
    anthropic.refusal = null;
    await until(async () => (await stateOf(id)) === 'in_context', 'the message in context');
    expect(anthropic.requests.some((one) => JSON.stringify(one.messages).includes('while refusing'))).toBe(
      true,
    );
    expect(terminal.screen()).not.toContain('the model of ben');
  });
});

describe('Codex in a terminal', () => {
  it('gets messages with a prompt and at the end of a turn, by hooks that only its own home trusts', async () => {
    const held = Promise.withResolvers<void>();
    const openai = await startScriptedOpenai(async (request) => {
      if (JSON.stringify(request.input.at(-1)).includes('take your time')) await held.promise;
      return [{ type: 'text', text: 'well' }];
    });
    model = openai;
    const got = (text: string) => openai.requests.some((one) => JSON.stringify(one.input).includes(text));
    await open('codex', openai.url);
    await starts();
    const first = await say('before the prompt');
    await enter('go on', () => got('go on'));
    await shows('ada → you: before the prompt');
    await until(() => got('before the prompt'), 'the message with the prompt');
    await until(async () => (await stateOf(first)) === 'in_context', 'the proof');

    await enter('take your time', () => got('take your time'));
    await say('before the end');
    held.resolve();
    await shows('ada → you: before the end');
    await until(() => got('before the end'), 'the message at the end of the turn');
    expect(existsSync(join(folder, 'home', '.codex', 'hooks.json'))).toBe(false);
  });
});
