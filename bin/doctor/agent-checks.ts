/** `muster doctor <agent>`: tests the agent on this machine as a run would use it. */
import { mkdir } from 'node:fs/promises';
import process from 'node:process';
import type { Env } from '#protocol/paths.ts';
import { AgentError } from '../../runner/agents/agent.ts';
import { agentEnvironment } from '../../runner/agents/agent-environment.ts';
import { loadAgent } from '../../runner/agents/load-agent.ts';
import { type SelfTestRequest, selfTest } from '../../runner/self-test/self-test.ts';
import type { SelfTestResult } from '../../runner/self-test/way.rules.ts';
import { localTime } from '../../runner/session/local-time.ts';
import { ownCommand } from '../own-command.ts';
import { ownPaths } from '../own-paths.ts';
import type { Finding } from './finding.ts';

const statusByOutcome = {
  ok: 'ok',
  failed: 'fail',
  'not tested': 'skip',
} as const satisfies Record<SelfTestResult['outcome'], Finding['status']>;

export async function* checkAgent(
  kind: string,
  env: Env,
  { modelUrl, limitMs }: Pick<SelfTestRequest, 'modelUrl' | 'limitMs'>,
): AsyncGenerator<Finding> {
  const { runsDir } = ownPaths(env);
  await mkdir(runsDir, { recursive: true, mode: 0o700 });
  const { command, script } = ownCommand();
  const bridgeCommand = { command, args: [script, 'mcp-bridge'] };
  const { obstacles } = await loadAgent(kind);
  // Messages come by hooks only in a terminal, where most people run an agent.
  const sentences = await obstacles?.({ cwd: process.cwd(), env: agentEnvironment(env), mode: 'terminal' });
  for (const detail of sentences ?? []) yield { check: `${kind} settings`, status: 'warn', detail };
  try {
    const request = { kind, env, modelUrl, runsDir, bridgeCommand, limitMs, timeOf: localTime };
    for await (const { check, outcome, ...said } of selfTest(request))
      yield { check: `${kind} ${check}`, status: statusByOutcome[outcome], ...said };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    // The message says what to do.
    yield { check: kind, status: 'fail', detail: error.message };
  }
}
