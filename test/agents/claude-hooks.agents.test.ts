import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeHooks, hookSettings } from '../../runner/agents/claude-code/claude-hooks.ts';
import { keyVariable, socketVariable } from '../../runner/bridge/bridge-protocol.ts';
import { type BridgeServer, type Handover, startBridgeServer } from '../../runner/bridge/bridge-server.ts';
import { pathWith } from './installed.ts';
import { type ScriptedModel, startScriptedAnthropic } from './scripted-anthropic.ts';

let folder: string;
let bridge: BridgeServer;
let model: ScriptedModel;
let waiting: Record<string, string[]>;
let asked: string[];
let settled: boolean[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-hooks-'));
  for (const name of ['home', 'work']) mkdirSync(join(folder, name));
  waiting = {};
  asked = [];
  settled = [];
  model = await startScriptedAnthropic(() => [{ type: 'text', text: 'well' }]);
  bridge = await startBridgeServer({
    instructions: () => '',
    list: () => [],
    call: async () => ({ content: [] }),
    async handOver(moment, isAgain): Promise<Handover | null> {
      const name = isAgain ? `${moment} again` : moment;
      asked.push(name);
      const text = waiting[name]?.shift();
      if (text === undefined || moment === 'wake' || moment === 'failed') return null;
      const answer = claudeHooks.answer(moment, { text, shown: 'ada wrote' });
      return { answer, finish: (isTaken) => settled.push(isTaken) };
    },
    onInitialized: () => undefined,
    onGone: () => undefined,
  });
});
afterEach(async () => {
  await bridge.close();
  await model.close();
  rmSync(folder, { recursive: true });
});

async function ask(prompt: string): Promise<void> {
  const svc = join(import.meta.dirname, '../../bin/muster');
  const settings = hookSettings({ command: process.execPath, args: [svc, 'mcp-bridge'] }, false);
  const child = spawn(
    'claude',
    ['-p', prompt, '--settings', JSON.stringify(settings), '--allowedTools', 'Bash'],
    {
      cwd: join(folder, 'work'),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: pathWith('claude-code'),
        HOME: join(folder, 'home'),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'sk-ant-made-up-for-this-test',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        [socketVariable]: bridge.socketPath,
        [keyVariable]: bridge.key,
      },
    },
  );
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
}

const requestText = (turn: number) => JSON.stringify(model.requests[turn]?.messages);

describe('hooks of the real Claude Code', () => {
  it('deliver waiting messages to the model with the next prompt', async () => {
    waiting = { prompt: ['hello from ada'] };
    await ask('go on');
    expect(model.requests).toHaveLength(1);
    expect(requestText(0)).toContain('hello from ada');
    expect(asked).toEqual(['prompt', 'stop']);
    expect(settled).toEqual([true]);
  });

  it('keep a turn from ending while messages are unread, and do so again for new ones', async () => {
    waiting = { stop: ['came meanwhile'], 'stop again': ['and one more'] };
    await ask('go on');
    expect(requestText(1)).toContain('came meanwhile');
    expect(requestText(2)).toContain('and one more');
    expect(model.requests).toHaveLength(3);
    expect(asked).toEqual(['prompt', 'stop', 'stop again', 'stop again']);
    expect(settled).toEqual([true, true]);
  });

  it('deliver a long text completely', async () => {
    const text = `start ${'word '.repeat(1800)}end-of-it`;
    waiting = { prompt: [text], stop: [text] };
    await ask('go on');
    expect(requestText(0)).toContain('end-of-it');
    expect(requestText(1).split('end-of-it')).toHaveLength(3);
  });

  it('do nothing to the agent when the runner is gone', async () => {
    await bridge.close();
    await ask('go on');
    expect(model.requests).toHaveLength(1);
  });
});
