import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';

const svc = fileURLToPath(new URL('../../bin/muster', import.meta.url));
const agent = fileURLToPath(new URL('./testing/plain-agent.ts', import.meta.url));
const odd = '{ "mcpServers":{} ,\r\n"a": 1}\n\n';

let team: TestBroker;
let home: string;
let cwd: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  team = await startTestBroker();
  home = mkdtempSync(join(tmpdir(), 'muster-run-'));
  cwd = join(home, 'work');
  mkdirSync(cwd);
});
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  await team.stop();
  rmSync(home, { recursive: true });
});

function svcRun(member: string, args: string[]) {
  const child = spawn(process.execPath, [svc, 'run', ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, SVC_URL: team.url, SVC_TOKEN: team.token(member) },
  });
  children.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  // Not its exit, because what it printed last may be read after that.
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, out, err }));
  return { child, ended, out: () => out, err: () => err };
}

const run = (member: string, args: string[], agentArgs: string[] = []) =>
  svcRun(member, [process.execPath, '--cwd', cwd, ...args, '--', agent, ...agentArgs]);

describe('muster run <command>', () => {
  it('gives the command the toolbox, ends with its code, and leaves .mcp.json as it was', async () => {
    const path = join(cwd, '.mcp.json');
    writeFileSync(path, odd, { mode: 0o640 });
    const { code, out } = await run('ben', []).ended;
    expect(code).toBe(3);
    expect(JSON.parse(out.trim().split('\n')[0] ?? '')).toMatchObject({
      blocks: [{ type: 'text', text: expect.stringMatching(/^delivered to ada: /) }],
      environment: [],
    });
    const { messages } = await team.as('ada').call('history', { query: { with: 'ben' } });
    expect(messages[0]).toMatchObject({ from: 'ben', body: 'I have 22 tools' });
    expect(readFileSync(path, 'utf8')).toBe(odd);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  it('hints at waiting messages in a second block, and reading them is evidence that the agent’s process has them', async () => {
    const { message } = await team.as('ada').call('push', { body: { to: 'ben', body: 'read me' } });
    const { child, ended, out } = run('ben', [], ['ada', 'recent']);
    await expect.poll(() => out().split('\n')).toHaveLength(3);
    const [first, second] = out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first.blocks[1]).toEqual({ type: 'text', text: '1 unread; call recent' });
    expect(second.blocks[0].text).toContain('read me');
    await expect
      .poll(async () => (await team.as('ada').call('receipts', { params: { id: message.id } })).receipts)
      .toMatchObject([{ member: 'ben', state: 'accepted' }]);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
  });

  it('runs a program by a relative path, and says when it asked for no tools and called none', async () => {
    writeFileSync(join(home, 'agent.sh'), '#!/bin/sh\necho no tools for me\n', { mode: 0o755 });
    const { code, out, err } = await svcRun('ben', ['./agent.sh', '--cwd', cwd]).ended;
    expect(code, err).toBe(0);
    expect(out).toBe('no tools for me\n');
    expect(err).toContain('this program ended without asking for tools');
    expect(err).not.toMatch(/log ?in/i);
    for (const mode of ['end', 'blind']) {
      const asked = await run('ben', [], ['ada', mode]).ended;
      expect(asked, mode).toMatchObject({ code: 3, err: expect.not.stringContaining('asking for tools') });
    }
  });

  it('uses its own token with --as, and revokes it at the end', async () => {
    const { code, err } = await run('ada', ['--as', 'cy']).ended;
    expect(code, err).toBe(3);
    const { messages } = await team.as('ada').call('history', { query: { with: 'cy' } });
    expect(messages[0]?.from).toBe('cy');
    const { tokens } = await team.as('ada').call('tokens', { params: { name: 'cy' } });
    expect(tokens.map(({ origin }) => origin)).not.toContain('enroll');
  });

  it.each(['rm -rf "$PWD"', 'rm .mcp.json && mkdir -p .mcp.json/x'])(
    'ends in order and revokes its own token after %j, which makes a restore impossible',
    async (harm) => {
      writeFileSync(join(cwd, '.mcp.json'), odd);
      const { code, err } = await svcRun('ada', [
        'sh',
        ...['--cwd', cwd, '--as', 'cy', '--', '-c', `${harm}; exit 7`],
      ]).ended;
      expect(code, err).toBe(7);
      expect(err).not.toMatch(/^\s+at /m);
      const { tokens } = await team.as('ada').call('tokens', { params: { name: 'cy' } });
      expect(tokens.map(({ origin }) => origin)).not.toContain('enroll');
    },
  );

  it('refuses a second run in the same folder by name and process, and touches nothing', async () => {
    const first = run('ben', [], ['ada', 'stay']);
    await expect.poll(() => first.out()).toContain('blocks');
    const registered = readFileSync(join(cwd, '.mcp.json'), 'utf8');
    const second = await run('cy', []).ended;
    expect(second.code).toBe(1);
    expect(second.err).toContain(
      `an agent of ben is already running in this folder (process ${first.child.pid})`,
    );
    expect(readFileSync(join(cwd, '.mcp.json'), 'utf8')).toBe(registered);
    first.child.kill('SIGINT');
    expect((await first.ended).code).toBe(130);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('shows presence as long as the agent lives, and no longer', async () => {
    const connected = async () =>
      (await team.as('ada').call('roster', {})).connected.find(({ name }) => name === 'ben')?.connected;
    const { child, ended, out } = run('ben', [], ['ada', 'stay']);
    await expect.poll(() => out()).toContain('blocks');
    await expect.poll(() => connected()).toBe(1);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
    await expect.poll(() => connected()).toBe(0);
  });

  it('writes its log as JSON lines, at the path it prints', async () => {
    const { err } = await run('ben', []).ended;
    const path = /log: (\S+\.jsonl)/.exec(err)?.[1] ?? '';
    expect(existsSync(path)).toBe(true);
    const lines = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['started', 'tool call', 'agent ended', 'ended']),
    );
    expect(readFileSync(path, 'utf8')).not.toContain(team.token('ben'));
  });

  it.each([
    [[], 64, 'name what to run'],
    [['no-such-program-here'], 1, 'no-such-program-here'],
    [['claude-code', '--cwd', '/no/such/folder'], 1, 'there is no folder'],
    [['codex', '--headless', '--terminal'], 64, 'not both'],
    [['codex', '--model-url', 'ftp://x'], 64, '--model-url'],
  ])('%j exits %i and says why', async (args, code, words) => {
    const ended = await svcRun('ben', args).ended;
    expect(ended.err).toContain(words);
    expect(ended.code).toBe(code);
    expect(ended.err.trim().split('\n').length).toBeLessThanOrEqual(3);
  });
});
