import { afterEach, expect, it } from 'vitest';
import { type AgentRun, type AgentTeam, startAgentTeam } from './agent-team.ts';
import { startScriptedAnthropic } from './scripted-anthropic.ts';
import { startScriptedOpenai } from './scripted-openai.ts';
import type { Refusal } from './scripted-refusal.ts';

/** The interface that both scripted models have in common. */
interface Model {
  url: string;
  refused: object[];
  refusal: Refusal | null;
  close(): Promise<void>;
}

const windowMs = 60_000;
/**
 * An answer that breaks off makes Claude Code ask once more, without a stream, and Codex five times more. The delay counts each, so that
 * six turns of the one and two turns of the other fit into the window.
 */
const maxRequests = 12;
/** The fourth delay can last 64 seconds. */
const patienceMs = 150_000;
const final = 'The tide is at six.';

let team: AgentTeam;
const models: Model[] = [];
afterEach(async () => {
  await team.stop();
  for (const model of models.splice(0)) await model.close();
});

const cases = [
  { member: 'ben', kind: 'claude-code', refusal: 'error in mid-answer', isRestarted: false },
  { member: 'cy', kind: 'claude-code', refusal: 'reset in mid-answer', isRestarted: true },
  { member: 'dee', kind: 'codex', refusal: 'error in mid-answer', isRestarted: true },
  { member: 'eve', kind: 'codex', refusal: 'reset in mid-answer', isRestarted: false },
] as const;

async function startModel(kind: string, refusal: Refusal): Promise<Model> {
  const model =
    kind === 'codex'
      ? await startScriptedOpenai(() => [{ type: 'text', text: final }])
      : await startScriptedAnthropic(() => [{ type: 'text', text: final }]);
  models.push(model);
  model.refusal = refusal;
  return model;
}

const say = async (to: string, body: string) =>
  (await team.team.as('ada').call('push', { body: { to, body } })).message.id;

async function answersTo(question: string, member: string): Promise<string[]> {
  const { messages } = await team.team.as('ada').call('history', { query: { with: member } });
  return messages.filter(({ inReplyTo }) => inReplyTo === question).map(({ body }) => body);
}

const copiesOf = (text: string, request: object | undefined): number =>
  (JSON.stringify(request) ?? '').split(text).length - 1;

async function startAgain(run: AgentRun, request: { member: string; kind: string; modelUrl: string }) {
  run.killAgent();
  run.child.kill('SIGKILL');
  await run.exited;
  await team.run({ ...request, again: run });
}

it('a model that breaks off each answer is asked at most 12 times in 60 s, and who asked gets the answer when it completes one', async () => {
  team = await startAgentTeam({ ada: ['admin'], ben: [], cy: [], dee: [], eve: [] });
  await Promise.all(
    cases.map(async ({ member, kind, refusal, isRestarted }) => {
      const model = await startModel(kind, refusal);
      const request = { member, kind, modelUrl: model.url };
      const run = await team.run(request);
      const question = await say(member, 'When is the tide?');
      await team.until(() => model.refused.length > 0, `the first request of ${member}`);
      const end = performance.now() + windowMs;
      await team.until(() => performance.now() > end, 'the end of the window', patienceMs);
      expect.soft(model.refused.length, member).toBeLessThanOrEqual(maxRequests);
      expect.soft(copiesOf('Your last turn ended early', model.refused.at(-1))).toBeLessThanOrEqual(1);
      model.refusal = null;
      if (isRestarted) await startAgain(run, request);
      await team.until(
        async () => (await answersTo(question, member)).length > 0,
        `the answer of ${member}`,
        patienceMs,
      );
      expect(await answersTo(question, member)).toEqual([final]);
    }),
  );
});
