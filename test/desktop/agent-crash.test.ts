/** The remains of the app's agents after a crash of the app: none. Also the tokens of runs, against a real broker. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { createRunTokens, type RunTokensDeps } from '../../electron/agents/run-tokens.ts';
import { root } from '../testing/build-once.ts';

let team: TestBroker;
let home: string;
beforeEach(async () => {
  team = await startTestBroker({ members: { ada: ['admin'], ben: [] } });
  home = mkdtempSync(join(tmpdir(), 'muster-agents-'));
});
afterEach(async () => {
  await team.stop();
  rmSync(home, { recursive: true });
});

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
};

test('takes the runner and the agent along when the app is killed, and the registry file is as before', async () => {
  const program = join(home, 'agent.sh');
  writeFileSync(program, '#!/bin/sh\necho $$ > pid.new\necho $PPID >> pid.new\nmv pid.new pid\nsleep 1000\n');
  chmodSync(program, 0o755);
  writeFileSync(join(home, '.mcp.json'), '{ }\n');
  const start = {
    command: process.execPath,
    args: [join(root, 'bin/muster'), 'run', '--json', '--cwd', home, '--', program],
    env: { PATH: process.env.PATH, HOME: home, SVC_URL: team.url, SVC_TOKEN: team.token('ben') },
  };
  const app = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { startRunner } from ${JSON.stringify(join(root, 'electron/agents/agent-process.ts'))};
       startRunner({ ...${JSON.stringify(start)}, onOutput() {}, onEnd() {} });`,
    ],
    { stdio: 'inherit' },
  );
  await expect.poll(() => existsSync(join(home, 'pid'))).toBe(true);
  const [agent = 0, runner = 0] = readFileSync(join(home, 'pid'), 'utf8').split('\n').map(Number);
  expect(readFileSync(join(home, '.mcp.json'), 'utf8')).toContain('SVC_RUNNER_KEY');
  app.kill('SIGKILL');
  await once(app, 'exit');
  await expect.poll(() => isGone(agent) && isGone(runner)).toBe(true);
  expect(readFileSync(join(home, '.mcp.json'), 'utf8')).toBe('{ }\n');
  expect(readdirSync(home).filter((name) => name.startsWith('.mcp'))).toEqual(['.mcp.json']);
});

function tokensAs(session: string, over: Partial<RunTokensDeps> = {}) {
  const withBearer = (bearer: string) =>
    createClient(({ url, ...init }) =>
      fetch(team.url + url, { ...init, headers: { ...init.headers, authorization: `Bearer ${bearer}` } }),
    );
  return createRunTokens({
    path: join(home, 'agent-tokens.json'),
    clientOf: (credential) => (credential === 'session' ? team.as(session) : withBearer(credential.bearer)),
    log: { warn: () => undefined },
    ...over,
  });
}
const statusOf = async (bearer: string): Promise<number> =>
  (await fetch(`${team.url}/briefing`, { headers: { authorization: `Bearer ${bearer}` } })).status;

test('creates a token for each run, named after this machine, and revokes it at the end', async () => {
  const tokens = await tokensAs('ada');
  const token = await tokens.create('ben');
  expect(await statusOf(token.bearer)).toBe(200);
  const listed = await team.as('ada').call('tokens', { params: { name: 'ben' } });
  expect(listed.tokens.find(({ id }) => id === token.id)).toMatchObject({
    label: expect.stringMatching(/^run on /),
    origin: 'enroll',
    createdBy: 'ada',
  });
  expect(readFileSync(join(home, 'agent-tokens.json'), 'utf8')).not.toContain(token.bearer);
  await tokens.revoke(token);
  expect(await statusOf(token.bearer)).toBe(401);
  expect(existsSync(join(home, 'agent-tokens.json'))).toBe(false);
});

test('revokes a token that a crash left behind at the next start, with a session that may', async () => {
  const token = await (await tokensAs('ada')).create('ben');
  const next = await tokensAs('ben');
  const other = await tokensAs('ada');
  await next.revokeLeft();
  // It is ben's own token, so he may revoke it.
  expect(await statusOf(token.bearer)).toBe(401);
  await other.revokeLeft();
  expect(existsSync(join(home, 'agent-tokens.json'))).toBe(false);
});

test('shows a member without members.manage the broker’s own refusal', async () => {
  await expect((await tokensAs('ben')).create('ada')).rejects.toMatchObject({ status: 403 });
});

test('names a member who does not exist', async () => {
  await expect((await tokensAs('ada')).create('zoe')).rejects.toMatchObject({ reason: 'unknown_member' });
});

test('starts more runs within an hour than an address may enroll devices', async () => {
  const tokens = await tokensAs('ada');
  for (let count = 0; count <= limits.enrollment.requestsPerHour; count++)
    await tokens.revoke(await tokens.create('ben'));
  expect(existsSync(join(home, 'agent-tokens.json'))).toBe(false);
});
