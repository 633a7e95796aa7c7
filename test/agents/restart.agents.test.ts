import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentRun, type AgentTeam, startAgentTeam } from './agent-team.ts';
import { startScriptedAnthropic } from './scripted-anthropic.ts';
import { startScriptedOpenai } from './scripted-openai.ts';

interface Model {
  url: string;
  requests: object[];
  close(): Promise<void>;
}

let team: AgentTeam;
let model: Model;
let isHanging = false;
afterEach(async () => {
  await team.stop();
  await model.close();
});

const never = new Promise<never>(() => undefined);
const answer = () => (isHanging ? never : [{ type: 'text' as const, text: 'ok' }]);
const models: Record<string, () => Promise<Model>> = {
  'claude-code': () => startScriptedAnthropic(answer),
  codex: () => startScriptedOpenai(answer),
};

const say = async (body: string) =>
  (await team.team.as('ada').call('push', { body: { to: 'ben', body } })).message;

async function stateOf(id: string): Promise<string | undefined> {
  const { receipts } = await team.team.as('ada').call('receipts', { params: { id } });
  return receipts[0]?.state;
}

/** The final text of the turn may already be the answer. */
const isInContext = async (id: string) => ['in_context', 'answered'].includes((await stateOf(id)) ?? '');
const textOf = (request: object | undefined) => JSON.stringify(request);
const asksFor = (text: string) => model.requests.some((request) => textOf(request).includes(text));

/** The agent keeps its conversation a moment after it shows it to the model; a crash before that loses the conversation. */
function isKept({ home }: AgentRun, text: string): boolean {
  const conversations = globSync('.{claude/projects,cache/svc/runs/*/sessions}/**/*.jsonl', { cwd: home });
  return conversations.some((path) => readFileSync(join(home, path), 'utf8').includes(text));
}

describe('an agent that is started again', () => {
  it.each(['claude-code', 'codex'])('%s continues its conversation and its work', async (kind) => {
    isHanging = false;
    model = await (models[kind] as () => Promise<Model>)();
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    const request = { member: 'ben', kind, modelUrl: model.url };
    const first = await team.run(request);
    const before = await say('the number is seven');
    await team.until(() => isInContext(before.id), 'the first delivery');
    await team.until(() => isKept(first, 'the number is seven'), 'the record of the conversation');

    // The agent alone is killed in the middle of a turn.
    isHanging = true;
    const long = await say('a long piece of work');
    await team.until(() => asksFor('a long piece of work'), 'the turn');
    first.killAgent();
    await first.exited;
    expect(await isInContext(long.id)).toBe(false);
    isHanging = false;
    model.requests.splice(0);
    const second = await team.run({ ...request, again: first });
    await team.until(() => isInContext(long.id), 'the work that was cut off');
    const continued = textOf(model.requests.at(-1));
    expect(continued).toContain('the number is seven');
    expect(continued).toContain('Your last turn was cut off');
    // If the conversation already has the message, the other one is a repeat.
    const shown = [...continued.matchAll(/<svc-message id=[^>]*>/g)].filter(([one]) => one.includes(long.id));
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter(([one]) => !one.includes('again=')).length).toBeLessThan(2);

    // The runner and the agent are killed in the middle of a turn whose message is settled.
    isHanging = true;
    const { id } = await team.team.as('ada').call('createObjective', {
      body: { title: 'Count', outcome: 'All is <counted>', assignee: 'ben' },
    });
    await team.until(() => asksFor('Count'), 'the turn for the objective');
    second.killAgent();
    await second.stop('SIGKILL');
    isHanging = false;
    model.requests.splice(0);
    const third = await team.run({ ...request, again: second });
    const digest = `<svc-objective id=\\"${id}\\" from=\\"ada\\">`;
    await team.until(() => asksFor(digest), 'the digest');
    expect(asksFor('outcome: All is &lt;counted&gt;')).toBe(true);
    expect(asksFor('the number is seven')).toBe(true);
    expect(await third.stop()).toBe(143);

    // No message waits, but the objective is still active.
    model.requests.splice(0);
    const fourth = await team.run({ ...request, again: third, options: ['--new-session'] });
    await team.until(() => asksFor(digest), 'the turn for the objective alone');
    expect(asksFor('the number is seven')).toBe(false);
    await fourth.stop();
  });
});
