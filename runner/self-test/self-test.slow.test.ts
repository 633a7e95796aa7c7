import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { selfTest } from './self-test.ts';
import type { SelfTestResult } from './way.rules.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-self-test-'));
  mkdirSync(join(folder, 'runs'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program with this name; `$0.pid` is for the id of a process that must not survive. */
function install(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function test(kind: string, limitMs: number): Promise<SelfTestResult[]> {
  const request = {
    kind,
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder },
    modelUrl: 'http://127.0.0.1:1',
    runsDir: join(folder, 'runs'),
    bridgeCommand: { command: process.execPath, args: ['svc', 'mcp-bridge'] },
    limitMs,
    timeOf: String,
  };
  const results = [];
  for await (const result of selfTest(request)) results.push(result);
  expect(readdirSync(join(folder, 'runs'))).toEqual([]);
  return results;
}

function isRunning(path: string): boolean {
  const pid = readFileSync(`${path}.pid`, 'utf8').trim();
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

const outcomes = (results: SelfTestResult[]) =>
  Object.fromEntries(results.map(({ check, outcome }) => [check, outcome]));

const stubborn = 'trap "" TERM HUP INT; sleep 300 & echo $! > "$0.pid"; wait; wait; sleep 300';
const onLinux = it.runIf(process.platform === 'linux');

describe('the self-test of an agent', () => {
  onLinux('ends if the program does not name its version', async () => {
    const path = install('claude', stubborn);
    const results = await test('claude-code', 3000);
    expect(outcomes(results)).toMatchObject({
      program: 'failed',
      wake: 'not tested',
      'hook stop': 'not tested',
    });
    expect(isRunning(path)).toBe(false);
  });

  onLinux('ends if the agent reads nothing, ignores signals, and keeps its pipes open', async () => {
    const path = install(
      'claude',
      `[ "$1" = --version ] && { echo "2.1.197 (Claude Code)"; exit; }; echo busy; ${stubborn}`,
    );
    const results = await test('claude-code', 3000);
    expect(outcomes(results)).toEqual({
      program: 'ok',
      wake: 'failed',
      tools: 'not tested',
      steer: 'not tested',
      'hook prompt': 'not tested',
      'hook tools': 'not tested',
      'hook stop': 'not tested',
      channel: 'not tested',
    });
    expect(results[1]?.detail).toBe(
      'the model answered no request with the message within 3.0 s; the agent’s last output: busy',
    );
    expect(isRunning(path)).toBe(false);
  });

  onLinux('ends if the agent hangs at its start', async () => {
    const path = install('codex', `[ "$1" = --version ] && { echo "codex-cli 0.169.0"; exit; }; ${stubborn}`);
    const results = await test('codex', 3000);
    expect(outcomes(results)).toMatchObject({ program: 'ok', start: 'failed', wake: 'not tested' });
    expect(isRunning(path)).toBe(false);
  });

  it('fails at once if the agent ends', async () => {
    install(
      'claude',
      '[ "$1" = --version ] && { echo "2.1.197 (Claude Code)"; exit; }; echo no such luck; exit 3',
    );
    const wake = (await test('claude-code', 20_000)).find(({ check }) => check === 'wake');
    expect(wake).toMatchObject({ outcome: 'failed' });
    expect(wake?.detail).toMatch(/^the agent (ended \(exit code 3\)|has ended);/);
  });

  it('says what it does not test of a command, which it does not start', async () => {
    const path = install('tool', 'echo $$ > "$0.pid"');
    const results = await test(path, 20_000);
    expect(results.map(({ check, outcome }) => [check, outcome])).toEqual([
      ['program', 'ok'],
      ['start', 'not tested'],
      ['messages', 'not tested'],
    ]);
    expect(JSON.stringify(results)).not.toMatch(/log ?in/i);
    expect(readdirSync(folder)).not.toContain('tool.pid');
  });
});
