/** Whole runs, as processes: one run per member, and what a run leaves behind when it is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';

const svc = fileURLToPath(new URL('../../bin/muster', import.meta.url));

let team: TestBroker;
let home: string;
let clockLeadMs: number;
const children: ChildProcess[] = [];
beforeEach(async () => {
  clockLeadMs = 0;
  team = await startTestBroker({ onDisk: true, clock: () => Date.now() + clockLeadMs });
  home = mkdtempSync(join(tmpdir(), 'muster-lease-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  // Ends what killed runs of a test left.
  await start('ben', 'last', 'exit 0').ended;
  await team.stop();
  rmSync(home, { recursive: true });
});

interface Options {
  options?: string[];
  url?: string;
}

/** A run whose agent is a shell script, in a folder of its own. */
function start(
  member: string,
  folder: string,
  script: string,
  { options = [], url = team.url }: Options = {},
) {
  const cwd = join(home, folder);
  mkdirSync(cwd, { recursive: true });
  const child = spawn(
    process.execPath,
    [svc, 'run', '/bin/sh', '--cwd', cwd, ...options, '--', '-c', script],
    {
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: home, SVC_URL: url, SVC_TOKEN: team.token(member) },
    },
  );
  children.push(child);
  let err = '';
  child.stderr.on('data', (data) => {
    err += data;
  });
  child.stdout.resume();
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, err }));
  const numberIn = (name: string): number => Number(readFileSync(join(cwd, name), 'utf8'));
  return { child, cwd, ended, err: () => err, numberIn, has: (name: string) => existsSync(join(cwd, name)) };
}
const stay = 'echo $$ > pid.new && mv pid.new pid && exec sleep 600';
const runOf = async (member: string) =>
  (await team.as('ada').call('roster', {})).connected.find(({ name }) => name === member);
const isWorking = async (member: string) => {
  const presence = await runOf(member);
  return presence?.run !== undefined && presence.connected > 0;
};
async function roster(): Promise<string> {
  const child = spawn(process.execPath, [svc, 'roster'], {
    env: { PATH: process.env.PATH, HOME: home, SVC_URL: team.url, SVC_TOKEN: team.token('ada') },
  });
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  await once(child, 'close');
  return out;
}
const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

describe('a second run of a member', () => {
  it('is refused by name with code 75, and touches nothing', async () => {
    const first = start('ben', 'a', stay);
    await expect.poll(() => isWorking('ben')).toBe(true);
    const second = await start('ben', 'b', stay).ended;
    expect(second.code).toBe(75);
    expect(second.err).toMatch(/^muster: ben runs on \S+ since \S+Z; pass --take-over to end that run\.\n$/);
    expect(readdirSync(join(home, 'b'))).toEqual([]);
    const other = start('cy', 'b', stay);
    await expect.poll(() => isWorking('cy')).toBe(true);
    expect(first.child.exitCode).toBeNull();
    other.child.kill('SIGTERM');
    await other.ended;
  });

  it('ends the first one with --take-over, also in the same folder', async () => {
    const first = start('ben', 'a', stay);
    await expect.poll(() => isWorking('ben')).toBe(true);
    const since = (await runOf('ben'))?.run?.since ?? 0;
    const second = start('ben', 'a', stay, { options: ['--take-over'] });
    const { code, err } = await first.ended;
    expect(code).toBe(75);
    expect(err).toMatch(/another run of ben on \S+ took over/);
    await expect.poll(async () => ((await runOf('ben'))?.run?.since ?? 0) > since).toBe(true);
    await expect.poll(() => isWorking('ben')).toBe(true);
    expect(second.child.exitCode).toBeNull();
  });

  it('starts after the first one has ended', async () => {
    expect((await start('ben', 'a', 'exit 4').ended).code).toBe(4);
    expect((await start('ben', 'a', 'exit 5').ended).code).toBe(5);
    expect(await runOf('ben')).not.toHaveProperty('run');
  });
});

// Processes are found through /proc here.
describe.skipIf(process.platform !== 'linux')('a runner that is killed', () => {
  /** The agent, a child, a session of its own, and one with neither its environment nor its parent. */
  const busy = [
    'sleep 600 & echo $! > child',
    'setsid sh -c "echo \\$\\$ > session; exec sleep 600" &',
    'setsid env -i sh -c "echo \\$\\$ > bare; exec sleep 600" &',
    stay,
  ].join('\n');
  const names = ['pid', 'child', 'session', 'bare'];

  it('leaves nothing that the next run of any member does not end, and is replaced at once', async () => {
    const first = start('ben', 'a', busy);
    await expect.poll(() => isWorking('ben')).toBe(true);
    await expect.poll(() => names.every((name) => first.has(name) && first.numberIn(name) > 0)).toBe(true);
    const pids = names.map(first.numberIn);
    expect(pids.map(isAlive)).toEqual([true, true, true, true]);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(pids.map(isAlive)).toEqual([true, true, true, true]);

    const other = start('cy', 'b', 'exit 0');
    expect((await other.ended).code).toBe(0);
    expect(pids.map(isAlive)).toEqual([false, false, false, false]);
    expect((await start('ben', 'a', 'exit 6').ended).code).toBe(6);
  });

  it('does not free its lease for a run on another machine', async () => {
    const first = start('ben', 'a', stay);
    await expect.poll(() => isWorking('ben')).toBe(true);
    first.child.kill('SIGKILL');
    await first.ended;
    const body = { runId: crypto.randomUUID(), host: 'elsewhere', agent: 'sh' };
    await expect(team.as('ben').call('takeRun', { body })).rejects.toMatchObject({ reason: 'run_held' });
  });
});

describe.skipIf(process.platform !== 'linux')('a run that ends in order', () => {
  it('ends what its agent started in a session of its own, too', async () => {
    const run = start('ben', 'a', 'setsid sh -c "echo \\$\\$ > session; exec sleep 600" & exec sleep 600');
    await expect.poll(() => run.has('session') && run.numberIn('session') > 0).toBe(true);
    await expect.poll(() => isWorking('ben')).toBe(true);
    run.child.kill('SIGTERM');
    expect((await run.ended).code).toBe(143);
    expect(isAlive(run.numberIn('session'))).toBe(false);
  });
});

describe('a runner that stands still', () => {
  it('is shown as not responding, and ends when it goes on and another run has its lease', async () => {
    const first = start('ben', 'a', stay);
    await expect.poll(() => isWorking('ben')).toBe(true);
    first.child.kill('SIGSTOP');
    clockLeadMs += limits.run.leaseMs;
    await expect.poll(async () => (await runOf('ben'))?.run?.isResponding).toBe(false);
    expect((await runOf('ben'))?.connected).toBe(1);
    expect(await roster()).toMatch(/^ben .*connected=1, runs on \S+ since .+ \(sh\), not responding$/m);
    const second = start('ben', 'b', stay);
    await expect.poll(async () => (await runOf('ben'))?.run?.isResponding).toBe(true);
    first.child.kill('SIGCONT');
    expect((await first.ended).code).toBe(75);
    expect(second.child.exitCode).toBeNull();
  });
});

describe('a run that somebody stops', () => {
  it('ends with code 77, because no other run has its place', async () => {
    const run = start('ben', 'a', stay);
    await expect.poll(() => isWorking('ben')).toBe(true);
    const since = (await runOf('ben'))?.run?.since ?? 0;
    await team.as('ada').call('stopRun', { params: { name: 'ben' }, body: { since } });
    const { code, err } = await run.ended;
    expect(code).toBe(77);
    expect(err).toContain('this run now ends: ');
  });
});

describe('a token that is not accepted at the start', () => {
  it('ends the run with code 77 and one sentence', async () => {
    const cwd = join(home, 'a');
    mkdirSync(cwd);
    const child = spawn(process.execPath, [svc, 'run', '/bin/sh', '--cwd', cwd, '--', '-c', 'exit 0'], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, SVC_URL: team.url, SVC_TOKEN: `svc_${'x'.repeat(43)}` },
    });
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    const [code] = await once(child, 'close');
    expect(err).toMatch(/^muster: the broker does not accept this token\..*\n$/);
    expect(code).toBe(77);
  });
});

describe('a run whose token is revoked', () => {
  it('ends with code 77 and one sentence', async () => {
    const run = start('ada', 'a', stay, { options: ['--as', 'ben'] });
    await expect.poll(() => isWorking('ben')).toBe(true);
    const { tokens } = await team.as('ada').call('tokens', { params: { name: 'ben' } });
    const own = tokens.find(({ label }) => label.startsWith('run on '));
    expect(own?.expiresAt).toEqual(expect.any(Number));
    await team.as('ada').call('revokeToken', { params: { name: 'ben', id: own?.id ?? '' } });
    const { code, err } = await run.ended;
    expect(code).toBe(77);
    expect(err.match(/no longer accepts the token of this run/g)).toHaveLength(1);
    expect(err).not.toContain('was not revoked');
    // It could not return its lease; the next one on this machine replaces it.
    const next = await start('ada', 'a', 'exit 8', { options: ['--as', 'ben'] }).ended;
    expect(next.code, next.err).toBe(8);
  });
});

it('works with an older broker, which has no leases and no tokens for runs', async () => {
  const older = createServer((incoming, outgoing) => {
    if (/^\/runs|\/run-tokens$/.test(incoming.url ?? '')) {
      const body = '{"error":"not_found","message":"there is no such path"}';
      outgoing.writeHead(404, { 'content-type': 'application/json' }).end(body);
      return;
    }
    const { method, headers, url } = incoming;
    const passed = request(team.url + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    // A request whose broker has closed, or whose runner has ended.
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await once(older.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(older.address() as AddressInfo).port}`;
  try {
    const { code, err } = await start('ada', 'a', 'exit 8', { options: ['--as', 'ben'], url }).ended;
    expect(code, err).toBe(8);
    const { tokens } = await team.as('ada').call('tokens', { params: { name: 'ben' } });
    expect(tokens.map(({ origin }) => origin)).not.toContain('enroll');
  } finally {
    older.closeAllConnections();
    older.close();
  }
});

it('revokes the token of a run whose output nobody reads anymore, as in muster run --json | head', async () => {
  const cwd = join(home, 'unread');
  mkdirSync(cwd);
  const child = spawn(
    process.execPath,
    [
      svc,
      'run',
      '/bin/sh',
      '--json',
      '--as',
      'ben',
      '--cwd',
      cwd,
      '--',
      '-c',
      'while :; do echo x; sleep 0.05; done',
    ],
    {
      cwd: home,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, HOME: home, SVC_URL: team.url, SVC_TOKEN: team.token('ada') },
    },
  );
  children.push(child);
  const tokensOfRuns = async () =>
    (await team.as('ada').call('devices', { query: {} })).devices.filter(({ isRun }) => isRun);
  await once(child.stdout, 'data');
  expect(await tokensOfRuns()).toHaveLength(1);
  child.stdout.destroy();
  await once(child, 'exit');
  expect(await tokensOfRuns()).toEqual([]);
  expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
});
