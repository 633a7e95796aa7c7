import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type InstallableKind, installableKinds } from '../../runner/agents/agent-kinds.ts';
import { pathWith } from './installed.ts';
import { startScriptedAnthropic } from './scripted-anthropic.ts';
import { startScriptedOpenai } from './scripted-openai.ts';

const svc = fileURLToPath(new URL('../../bin/svc', import.meta.url));
const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

function startDoctor(agent: InstallableKind['id'], modelUrl: string) {
  const home = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
  homes.push(home);
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, '.codex', 'auth.json'), '{"OPENAI_API_KEY":"sk-made-up-for-this-test"}');
  const child = spawn(process.execPath, [svc, 'doctor', agent, '--model-url', modelUrl, '--json'], {
    cwd: home,
    env: {
      PATH: pathWith(agent),
      HOME: home,
      ANTHROPIC_API_KEY: 'sk-ant-made-up-for-this-test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  });
  return { home, child, runs: () => readdirSync(join(home, '.cache', 'svc', 'runs')) };
}

async function doctor(agent: InstallableKind['id'], modelUrl: string) {
  const { home, child } = startDoctor(agent, modelUrl);
  let said = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  await once(child, 'close');
  const findings = JSON.parse(said) as { check: string; status: string; detail: string }[];
  return { home, findings: findings.filter(({ check }) => check.startsWith(agent)) };
}

describe('svc doctor <agent>', () => {
  it('tries Claude Code through every transport and leaves nothing behind', async () => {
    const model = await startScriptedAnthropic(() => [{ type: 'text', text: 'ok' }]);
    const { home, findings } = await doctor('claude-code', model.url);
    await model.close();
    expect(findings.map(({ check, status }) => [check, status])).toEqual(
      ['program', 'registration', 'wake', 'steer', 'bridge'].map((check) => [`claude-code ${check}`, 'ok']),
    );
    expect(readdirSync(join(home, '.cache', 'svc', 'runs'))).toEqual([]);
  });

  it.each(installableKinds.map(({ id }) => id))(
    'leaves nothing of %s behind when it is interrupted',
    async (agent) => {
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
    },
  );

  it('tries Codex through every transport and leaves nothing behind', async () => {
    const model = await startScriptedOpenai(() => [{ type: 'text', text: 'ok' }]);
    const { home, findings } = await doctor('codex', model.url);
    await model.close();
    expect(findings.map(({ check, status }) => [check, status])).toEqual(
      ['program', 'registration', 'wake', 'steer', 'bridge'].map((check) => [`codex ${check}`, 'ok']),
    );
    expect(readdirSync(join(home, '.cache', 'svc', 'runs'))).toEqual([]);
  });
});
