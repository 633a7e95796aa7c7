import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentError, type AgentSetting } from '../agent.ts';
import { commandKind } from './command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-command-'));
  writeFileSync(join(folder, 'tool'), '#!/bin/sh\ncp .mcp.json seen.json; exit "$1"\n');
  chmodSync(join(folder, 'tool'), 0o755);
  mkdirSync(setting().runFolder);
});
afterEach(() => rmSync(folder, { recursive: true }));

const setting = (): AgentSetting => ({
  cwd: folder,
  args: ['7'],
  env: { PATH: `${folder}:${process.env.PATH}` },
  mode: 'owned',
  isUnattended: false,
  member: 'ben',
  runFolder: join(folder, `run-${basename(folder)}`),
  conversation: { previous: null, folder: '/nowhere', keep: () => undefined },
  bridge: { command: 'node', args: ['svc', 'mcp-bridge'], env: { SVC_RUNNER_SOCKET: '/s' } },
  modelUrl: null,
  instructions: '',
  events: {
    onEvidence: () => undefined,
    onTurn: () => undefined,
    onOutcome: () => undefined,
    onSetback: () => undefined,
    onTranscript: () => undefined,
  },
  log: () => undefined,
  tell: () => undefined,
});

describe('any command as an agent', () => {
  it('finds the bridge in .mcp.json while it runs, and its exit code is returned', async () => {
    const agent = await commandKind('tool').prepare(setting());
    await agent.start();
    expect(await agent.exited).toEqual({ code: 7, signal: null });
    await agent.restore();
    expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))).toEqual({
      mcpServers: { svc: setting().bridge },
    });
    expect(readdirSync(folder).sort()).toEqual([basename(setting().runFolder), 'seen.json', 'tool']);
  });

  it('cannot be woken, and says so', async () => {
    const kind = commandKind('tool');
    expect(await kind.capabilities(setting())).toEqual({
      version: 'tool',
      canWake: false,
      hasChannel: false,
      hooks: null,
    });
    const agent = await kind.prepare(setting());
    await expect(agent.wake({ messageIds: ['m1'], text: 'x' })).rejects.toThrow(AgentError);
    agent.restoreSync();
    expect(readdirSync(folder).sort()).toEqual([basename(setting().runFolder), 'tool']);
  });

  it('is ended by stop, with the processes that it started', async () => {
    writeFileSync(join(folder, 'tool'), '#!/bin/sh\ntrap "" TERM\nsleep 100 & echo $! > child; wait\n');
    const agent = await commandKind('tool').prepare(setting());
    await agent.start();
    await expect.poll(() => readdirSync(folder)).toContain('child');
    await expect.poll(() => readFileSync(join(folder, 'child'), 'utf8')).not.toBe('');
    agent.restoreSync();
    expect((await agent.exited).signal).toBe('SIGKILL');
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
    const isGone = () => {
      try {
        process.kill(child, 0);
        return readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z ');
      } catch {
        return true;
      }
    };
    await expect.poll(isGone).toBe(true);
  });

  it('is found by a path relative to the folder of the command line', async () => {
    const path = relative(process.cwd(), join(folder, 'tool'));
    expect(await commandKind(path).capabilities({ ...setting(), env: { PATH: '' } })).toMatchObject({
      version: 'tool',
    });
    await expect(commandKind('./no-such-tool').capabilities(setting())).rejects.toThrow(
      `there is no program "${join(process.cwd(), 'no-such-tool')}", or it cannot be run`,
    );
  });

  it('is named if it is missing', async () => {
    await expect(commandKind('no-such-tool').capabilities(setting())).rejects.toThrow(
      'there is no program "no-such-tool" on the PATH. Install it, or name it by its path, as in ./agent.sh.',
    );
    await expect(commandKind('calude-code').capabilities(setting())).rejects.toThrow(
      'there is no program "calude-code" on the PATH. Did you mean "claude-code"? Otherwise, install it, or name it by its path',
    );
  });
});
