/** Somebody interrupts a real agent from elsewhere (specification/presence.md#runs). */
import { readFileSync, readlinkSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { readProcesses } from '../../runner/process/process-table.ts';
import { type AgentRun, type AgentTeam, startAgentTeam } from './agent-team.ts';
import { startScriptedAnthropic } from './scripted-anthropic.ts';
import { startScriptedOpenai } from './scripted-openai.ts';

let team: AgentTeam;
const models: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await team.stop();
  for (const model of models.splice(0)) await model.close();
});

const commandsIn = (run: AgentRun): number =>
  readProcesses().filter(({ pid }) => {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== run.cwd) return false;
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('tail');
    } catch {
      return false;
    }
  }).length;

const ben = async () =>
  (await team.team.as('ada').call('roster', {})).connected.find(({ name }) => name === 'ben');

async function interruptedIn(
  kind: 'claude-code' | 'codex',
  modelUrl: string,
  seen: () => string,
): Promise<void> {
  // Claude Code bypasses permission questions for root only in what it takes for a sandbox.
  const env = { IS_SANDBOX: '1' };
  const run = await team.run({ member: 'ben', kind, modelUrl, env, options: ['--unattended'] });
  await team.until(async () => (await ben())?.run !== undefined, 'the start');
  const say = (body: string) => team.team.as('ada').call('push', { body: { to: 'ben', body } });
  await say('word-one');
  await team.until(() => commandsIn(run) === 1, 'the command of the agent');
  expect((await ben())?.busy).toBe(true);
  const since = (await ben())?.run?.since ?? 0;
  await team.team.as('ada').call('interruptRun', { params: { name: 'ben' }, body: { since } });
  await team.until(() => run.said().includes('ada interrupted the agent'), 'the interruption');
  await team.until(async () => (await ben())?.busy === false, 'the end of the turn');
  await team.until(() => commandsIn(run) === 0, 'the end of the command');
  await say('word-two');
  await team.until(() => seen().includes('word-two'), 'the next message');
  expect((await ben())?.run?.since).toBe(since);
  await run.stop();
}

it('ends the turn and the command of Claude Code, which takes the next message', async () => {
  team = await startAgentTeam({ ada: ['admin'], ben: [] });
  const model = await startScriptedAnthropic(({ messages }) =>
    JSON.stringify(messages).includes('word-two')
      ? [{ type: 'text', text: 'done' }]
      : [{ type: 'tool_use', name: 'Bash', input: { command: 'tail -f /dev/null', description: 'waits' } }],
  );
  models.push(model);
  await interruptedIn('claude-code', model.url, () => JSON.stringify(model.requests));
});

it('ends the turn and the command of Codex, which takes the next message', async () => {
  team = await startAgentTeam({ ada: ['admin'], ben: [] });
  const model = await startScriptedOpenai(({ input }) =>
    JSON.stringify(input).includes('word-two')
      ? [{ type: 'text', text: 'done' }]
      : [{ type: 'call', name: 'exec_command', input: { cmd: 'tail -f /dev/null' } }],
  );
  models.push(model);
  await interruptedIn('codex', model.url, () => JSON.stringify(model.requests));
});
