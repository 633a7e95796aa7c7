/** When an agent that can be woken gets its first message. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
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
import { parse } from 'smol-toml';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startTestBroker } from '../../broker/testing/test-broker.ts';
import { connectToRunner } from '../../runner/bridge/runner-connection.ts';

const svc = fileURLToPath(new URL('../../bin/muster', import.meta.url));
const program = fileURLToPath(new URL('../../runner/agents/codex/testing/small-codex.ts', import.meta.url));
const Config = z.object({
  mcp_servers: z.object({
    svc: z.object({ env: z.object({ SVC_RUNNER_SOCKET: z.string(), SVC_RUNNER_KEY: z.string() }) }),
  }),
});

it('gets it when it has the team’s tools, however long its bridge takes to start', async () => {
  const team = await startTestBroker();
  onTestFinished(() => team.stop());
  const home = mkdtempSync(join(tmpdir(), 'muster-wake-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const name of ['bin', '.codex', 'work']) mkdirSync(join(home, name));
  writeFileSync(join(home, '.codex/auth.json'), '{"OPENAI_API_KEY":"sk-made-up"}');
  writeFileSync(join(home, 'bin/codex'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(home, 'bin/codex'), 0o755);
  const record = join(home, 'record');
  writeFileSync(record, '');
  const recorded = () => readFileSync(record, 'utf8');
  await team.as('ada').call('push', { body: { to: 'ben', body: 'plain words' } });

  const run = spawn(process.execPath, [svc, 'run', 'codex', '--headless', '--cwd', join(home, 'work')], {
    env: {
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      HOME: home,
      RECORD: record,
      SVC_URL: team.url,
      SVC_TOKEN: team.token('ben'),
    },
    stdio: 'ignore',
  });
  const ended = once(run, 'exit');
  await expect.poll(recorded).toContain('thread/start');
  const runs = join(home, '.cache/svc/runs');
  const own = readdirSync(runs).find((name) => name.startsWith('codex-')) ?? '';
  const { env } = Config.parse(parse(readFileSync(join(runs, own, 'config.toml'), 'utf8'))).mcp_servers.svc;
  const bridge = await connectToRunner({
    socketPath: env.SVC_RUNNER_SOCKET,
    key: env.SVC_RUNNER_KEY,
    client: 'bridge',
  });
  for (let n = 0; n < 20; n++) await bridge.ask({ method: 'call', name: 'roster', input: {} });
  appendFileSync(record, '{"method":"the tools are asked for"}\n');
  await bridge.ask({ method: 'list' });
  await expect.poll(recorded).toContain('plain words');
  expect(recorded().indexOf('the tools are asked for')).toBeLessThan(recorded().indexOf('plain words'));
  bridge.close();
  run.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
});
