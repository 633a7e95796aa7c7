/** `svc doctor <agent>`: tests the agent on this machine as a run would use it. */
import { mkdir } from 'node:fs/promises';
import type { Env } from '#protocol/paths.ts';
import { AgentError } from '../../runner/agents/agent.ts';
import { selfTest } from '../../runner/self-test.ts';
import { ownCommand } from '../own-command.ts';
import { ownPaths } from '../own-paths.ts';
import { type Finding, fail, ok } from './finding.ts';

const remedy = 'start the agent without svc, and check its output and its login';

export async function* checkAgent(kind: string, env: Env, modelUrl: string | null): AsyncGenerator<Finding> {
  const { runsDir } = ownPaths(env);
  await mkdir(runsDir, { recursive: true, mode: 0o700 });
  const { command, script } = ownCommand();
  const bridgeCommand = { command, args: [script, 'mcp-bridge'] };
  try {
    for await (const { check, isOk, detail } of selfTest({ kind, env, modelUrl, runsDir, bridgeCommand }))
      yield isOk ? ok(`${kind} ${check}`, detail) : fail(`${kind} ${check}`, detail, remedy);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    yield fail(kind, error.message, remedy);
  }
}
