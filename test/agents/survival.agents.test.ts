/**
 * Runs that are killed or doubled, with the real agents: nothing of a dead run goes on
 * running, and one member is at work once (specification/runner.md#ends-of-a-run).
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { readProcesses } from '../../runner/process/process-table.ts';
import { type AgentRun, type AgentTeam, startAgentTeam } from './agent-team.ts';
import { type ScriptedModel, startScriptedAnthropic } from './scripted-anthropic.ts';
import { type ScriptedResponses, startScriptedOpenai } from './scripted-openai.ts';

let team: AgentTeam;
const models: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await team.stop();
  for (const model of models.splice(0)) await model.close();
});
const closing = <Model extends { close(): Promise<void> }>(model: Model): Model => {
  models.push(model);
  return model;
};

/** Of this machine's processes, those that work in the folder of a run, the runner excluded. */
function processesIn(run: AgentRun): string[] {
  return readProcesses().flatMap(({ pid }) => {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== run.cwd) return [];
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()];
    } catch {
      return [];
    }
  });
}
const sleepsIn = (run: AgentRun) => processesIn(run).filter((command) => command.startsWith('sleep 600'));
const isHeld = async (member: string) => {
  const { connected } = await team.team.as('ada').call('roster', {});
  return connected.some(({ name, run, connected }) => name === member && run && connected > 0);
};

describe('kill -9 of the runner in the middle of a turn', () => {
  /** In the foreground of the tool, and beside it in a session of its own. */
  const command = 'setsid sleep 600 & sleep 600';

  async function killedIn(kind: 'claude-code' | 'codex', modelUrl: string): Promise<void> {
    // Claude Code bypasses permission questions for root only in what it takes for a sandbox.
    const env = { IS_SANDBOX: '1' };
    const run = await team.run({ member: 'ben', kind, modelUrl, env, options: ['--unattended'] });
    await team.until(() => isHeld('ben'), 'the start');
    await team.team.as('ada').call('push', { body: { to: 'ben', body: 'work' } });
    await team.until(() => sleepsIn(run).length === 2, 'the command of the agent');
    await run.stop('SIGKILL');
    expect(sleepsIn(run)).not.toEqual([]);

    const again = await team.run({ member: 'ben', kind, modelUrl, again: run });
    await team.until(() => isHeld('ben'), 'the next start');
    expect(sleepsIn(run)).toEqual([]);
    expect(again.said()).not.toContain('take-over');
    await again.stop();
    expect(processesIn(run)).toEqual([]);
  }

  it('leaves nothing of Claude Code once the next run has started', async () => {
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    const model: ScriptedModel = closing(
      await startScriptedAnthropic(({ messages }) =>
        JSON.stringify(messages).includes('"name":"Bash"')
          ? [{ type: 'text', text: 'done' }]
          : [{ type: 'tool_use', name: 'Bash', input: { command, description: 'waits' } }],
      ),
    );
    await killedIn('claude-code', model.url);
  });

  it('leaves nothing of Codex once the next run has started', async () => {
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    const model: ScriptedResponses = closing(
      await startScriptedOpenai(({ input }) =>
        JSON.stringify(input).includes('"name":"exec_command"')
          ? [{ type: 'text', text: 'done' }]
          : [{ type: 'call', name: 'exec_command', input: { cmd: command } }],
      ),
    );
    await killedIn('codex', model.url);
  });
});

describe('the same member twice', () => {
  it('is refused by name, and with --take-over each message reaches the model once', async () => {
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    const model = closing(await startScriptedAnthropic(() => [{ type: 'text', text: 'done' }]));
    const say = (body: string) => team.team.as('ada').call('push', { body: { to: 'ben', body } });
    const settled = async (id: string) =>
      (await team.team.as('ada').call('receipts', { params: { id } })).receipts.some(
        // The final text of the turn may have answered it.
        ({ state }) => state === 'in_context' || state === 'answered',
      );
    const start = (options: string[] = []) =>
      team.run({ member: 'ben', kind: 'claude-code', modelUrl: model.url, options });

    const first = await start();
    await team.until(() => isHeld('ben'), 'the start');
    const one = await say('word-one');
    await team.until(() => settled(one.message.id), 'the first message');

    const refused = await start();
    expect(await refused.exited).toBe(75);
    expect(refused.said()).toMatch(
      /^muster: ben runs on \S+ since \S+; pass --take-over to end that run\.$/m,
    );

    const second = await start(['--take-over']);
    expect(await first.exited).toBe(75);
    expect(first.said()).toContain('took over');
    const two = await say('word-two');
    await team.until(() => settled(two.message.id), 'the second message');
    await second.stop();
    // A later request repeats what its conversation already contains.
    for (const word of ['word-one', 'word-two']) {
      const counts = model.requests.map(({ messages }) => JSON.stringify(messages).split(word).length - 1);
      expect(Math.max(...counts), word).toBe(1);
    }
  });
});
