/**
 * Runs with small scripts in place of the runner, as real processes, and the tokens that are created and
 * revoked for them.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentLine } from './agent-lines.rules.ts';
import { type AgentRuns, createAgentRuns } from './agent-runs.ts';
import type { RunToken } from './run-tokens.ts';
import type { RunChoices } from './spawn-plan.rules.ts';

const choices: RunChoices = {
  member: 'ben',
  kind: 'claude-code',
  program: null,
  folder: '/work',
  args: [],
  isUnattended: false,
  modelUrl: null,
};
const started = `echo '{"event":"started","member":"ben","agent":"Claude Code 2","wakes":true,"pid":null,"log":"/l"}'`;
const untilAsked = `trap 'echo "muster: as before" >&2; exit 143' TERM\n${started}\nsleep 1000 & wait\n`;

let folder: string;
let runs: AgentRuns;
let created: number;
let revoked: string[];
let heard: AgentLine[];
let takesOver: boolean[];
let stopTimeoutMs: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-runs-'));
  takesOver = [];
  [created, revoked, heard, stopTimeoutMs] = [0, [], [], 100_000];
  runs = createAgentRuns({
    async createToken(member): Promise<RunToken> {
      return { member, id: `token-${++created}`, bearer: 'bearer' };
    },
    revoke: async ({ id }) => void revoked.push(id),
    async plan(_choices, _bearer, isTakeOver) {
      takesOver.push(isTakeOver);
      return {
        command: join(folder, 'runner'),
        args: [],
        env: { PATH: process.env.PATH ?? '' },
        stopTimeoutMs,
      };
    },
    onChange: () => undefined,
    onLine: (_id, line) => heard.push(line),
    now: () => 1,
    log: { warn: () => undefined, info: () => undefined },
  });
});
afterEach(async () => {
  await runs.stopAll();
  rmSync(folder, { recursive: true });
});

function runner(text: string): void {
  writeFileSync(join(folder, 'runner'), `#!/bin/sh\n${text}`);
  chmodSync(join(folder, 'runner'), 0o755);
}
const stateOf = (id: string) => runs.list().find((one) => one.id === id)?.state;

test('follows the states that the runner reports, and revokes the token at the end', async () => {
  runner(
    `trap 'exit 143' TERM\nwhile [ ! -e ${folder}/go ]; do sleep 0.05; done\n${started}\necho '{"event":"state","state":"working"}'\nsleep 1000 & wait\n`,
  );
  const id = await runs.start(choices);
  expect(stateOf(id)).toBe('starting');
  writeFileSync(join(folder, 'go'), '');
  await expect.poll(() => stateOf(id)).toBe('working');
  expect(runs.list()[0]).toMatchObject({ agent: 'Claude Code 2', logPath: '/l', member: 'ben' });
  runs.stop(id);
  expect(stateOf(id)).toBe('stopping');
  await expect.poll(() => stateOf(id)).toBe('ended');
  expect(runs.list()[0]).toMatchObject({ code: 143, isStopped: true });
  await expect.poll(() => revoked).toEqual(['token-1']);
});

test('shows the exit code and the last line of a run that ends by itself', async () => {
  runner('echo "muster: there is no program \\"claude\\" on the PATH" >&2\nexit 1\n');
  const id = await runs.start(choices);
  await expect.poll(() => stateOf(id)).toBe('ended');
  expect(runs.list()[0]).toMatchObject({
    code: 1,
    isStopped: false,
    lastLine: 'there is no program "claude" on the PATH',
  });
  expect(heard).toMatchObject([{ source: 'log' }]);
  await expect.poll(() => revoked).toEqual(['token-1']);
});

test('kills a run that does not end when asked, and its children', async () => {
  stopTimeoutMs = 300;
  runner(`trap '' TERM\n${started}\nsleep 1000 & echo $! > ${folder}/child\nwhile :; do wait; done\n`);
  const id = await runs.start(choices);
  await expect.poll(() => existsSync(join(folder, 'child'))).toBe(true);
  await expect.poll(() => readFileSync(join(folder, 'child'), 'utf8')).not.toBe('');
  runs.stop(id);
  await expect.poll(() => stateOf(id)).toBe('ended');
  const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
  await expect
    .poll(() => existsSync(`/proc/${child}`) && !readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z '))
    .toBe(false);
});

test('passes the token to the restarted run, and revokes it once, at the end', async () => {
  runner(untilAsked);
  const first = await runs.start(choices);
  await expect.poll(() => stateOf(first)).toBe('waiting');
  const second = await runs.restart(first);
  expect(runs.list().map(({ id }) => id)).toEqual([second]);
  await expect.poll(() => stateOf(second)).toBe('waiting');
  expect([created, revoked]).toEqual([1, []]);
  await runs.stopAll();
  expect(revoked).toEqual(['token-1']);
});

test('restarts once if Restart is pressed twice', async () => {
  runner(untilAsked);
  const first = await runs.start(choices);
  await expect.poll(() => stateOf(first)).toBe('waiting');
  const both = await Promise.allSettled([runs.restart(first), runs.restart(first)]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(runs.running).toBe(1);
});

test('starts a run again that another run prevented, and only then takes over', async () => {
  runner('echo "muster: ben runs on mill since 10:00" >&2\nexit 75\n');
  const first = await runs.start(choices);
  await expect.poll(() => stateOf(first)).toBe('ended');
  expect(runs.list()[0]).toMatchObject({ isHeldElsewhere: true, lastLine: 'ben runs on mill since 10:00' });
  runner(untilAsked);
  const both = await Promise.allSettled([runs.takeOver(first), runs.takeOver(first)]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(takesOver).toEqual([false, true]);
  const [second] = runs.list();
  expect(second).toMatchObject({ member: 'ben', isHeldElsewhere: false });
  await expect(runs.takeOver(second?.id ?? '')).rejects.toThrow('no other run');
});

test('starts nothing while the app quits, not even a restart that is in progress', async () => {
  runner(untilAsked);
  const first = await runs.start(choices);
  await expect.poll(() => stateOf(first)).toBe('waiting');
  const restart = runs.restart(first);
  await Promise.all([runs.stopAll(), expect(restart).rejects.toThrow('the app is quitting')]);
  expect(runs.running).toBe(0);
  expect(new Set(revoked)).toEqual(new Set(['token-1']));
  await expect(runs.start(choices)).rejects.toThrow('the app is quitting');
});

test('runs sixteen agents at a time, and lists twenty that ended', async () => {
  runner(untilAsked);
  for (let n = 0; n < 16; n++) await runs.start(choices);
  await expect(runs.start(choices)).rejects.toThrow('16 agents are already running; stop one first');
  for (const { id } of runs.list()) runs.stop(id);
  await expect.poll(() => runs.running).toBe(0);
  runner('exit 0\n');
  for (let n = 0; n < 10; n++) await runs.start(choices);
  await expect.poll(() => runs.running).toBe(0);
  expect(runs.list()).toHaveLength(20);
  await runs.stopAll();
  await expect.poll(() => revoked).toHaveLength(26);
});

test('reports a runner that cannot be started', async () => {
  const id = await runs.start(choices);
  await expect.poll(() => stateOf(id)).toBe('ended');
  expect(runs.list()[0]?.lastLine).toContain('the runner cannot be started');
});
