import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { pathWith } from './installed.ts';
import { startScriptedAnthropic } from './scripted-anthropic.ts';
import { startScriptedOpenai } from './scripted-openai.ts';

const svc = fileURLToPath(new URL('../../bin/svc', import.meta.url));
const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

async function doctor(agent: 'claude-code' | 'codex', modelUrl: string) {
  const home = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
  homes.push(home);
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, '.codex', 'auth.json'), '{"OPENAI_API_KEY":"sk-made-up-for-this-test"}');
  const child = spawn(process.execPath, [svc, 'doctor', agent, '--model-url', modelUrl, '--json'], {
    cwd: home,
    env: {
      PATH: pathWith(agent === 'codex' ? 'codex' : 'claude'),
      HOME: home,
      ANTHROPIC_API_KEY: 'sk-ant-made-up-for-this-test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  });
  let said = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  await once(child, 'exit');
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
