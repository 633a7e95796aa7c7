import { afterEach, describe, expect, it } from 'vitest';
import type { RefusalCause } from '#protocol/model-refusal.ts';
import { type AgentTeam, startAgentTeam } from './agent-team.ts';
import { startScriptedAnthropic } from './scripted-anthropic.ts';
import { startScriptedOpenai } from './scripted-openai.ts';
import { anthropicRefusals, openaiRefusals, type Refusal } from './scripted-refusal.ts';

/** The interface that both scripted models have in common. */
interface Model {
  url: string;
  requests: object[];
  refused: object[];
  refusal: Refusal | null;
  close(): Promise<void>;
}

/** For Codex, which would otherwise take half a minute for the attempts of each turn. */
const fewAttempts = [
  '--',
  '-c',
  'model_providers.svc_gateway.request_max_retries=0',
  '-c',
  'model_providers.svc_gateway.stream_max_retries=0',
];

let team: AgentTeam;
let model: Model;
afterEach(async () => {
  await team.stop();
  await model.close();
});

const say = async (body: string) =>
  (await team.team.as('ada').call('push', { body: { to: 'ben', body } })).message;

async function receiptOf(id: string) {
  const { receipts } = await team.team.as('ada').call('receipts', { params: { id } });
  return receipts[0] ?? { state: 'stored' as const, model: undefined };
}

const textOf = (request: object | undefined): string => JSON.stringify(request) ?? '';

/** The messages that came last in the latest request that was answered, and whether each is marked as a repeat. */
function lastBundle(): { id: string; isAgain: boolean }[] {
  const said = textOf(model.requests.at(-1)).split('from your team. Each').at(-1) ?? '';
  return [...said.matchAll(/<svc-message id=\\"([0-9a-f-]{36})\\"[^>]*>/g)].map(([block, id = '']) => ({
    id,
    isAgain: block.includes('again='),
  }));
}

/**
 * After a restart, the continued conversation may already have the unsettled message; if it comes once more, it is
 * marked. The settled one is not repeated.
 */
function expectShown(unsettled: string, settled: string): void {
  const blocks = textOf(model.requests.at(-1)).match(/<svc-message id=[^>]*>/g) ?? [];
  const unmarked = (id: string) => blocks.filter((block) => block.includes(id) && !block.includes('again='));
  expect(blocks.some((block) => block.includes(unsettled))).toBe(true);
  expect(unmarked(unsettled).length).toBeLessThan(2);
  expect(blocks.filter((block) => block.includes(settled))).toHaveLength(1);
}

const wasAnswered = (id: string) => model.requests.some((request) => textOf(request).includes(id));

/** Watches a receipt: it must never say more than the model's own record. */
async function isInContext(id: string): Promise<boolean> {
  const { state } = await receiptOf(id);
  const claims = state === 'in_context' || state === 'answered';
  if (claims) expect(wasAnswered(id)).toBe(true);
  return claims;
}

/** Sends a message while the model refuses, sees everybody told why, and ends the refusal. */
async function refuseOnce(cause: RefusalCause, refusal: Refusal): Promise<string> {
  model.refusal = refusal;
  const { id } = await say(`while it is ${cause}`);
  await team.until(async () => (await receiptOf(id)).model?.cause === cause, `the refusal: ${cause}`);
  expect(await isInContext(id)).toBe(false);
  model.refusal = null;
  await team.until(() => isInContext(id), `the delivery after: ${cause}`);
  return id;
}

async function presenceOfBen() {
  const { connected } = await team.team.as('ada').call('roster', {});
  return connected.find(({ name }) => name === 'ben');
}

describe('an agent whose model refuses', () => {
  it('Claude Code gets each message when its model is back, and no receipt claims it earlier', async () => {
    model = await startScriptedAnthropic(() => [{ type: 'text', text: 'ok' }]);
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    const request = { member: 'ben', kind: 'claude-code', modelUrl: model.url };
    const run = await team.run(request);
    const fine = await say('before all of it');
    await team.until(() => isInContext(fine.id), 'the first delivery');
    expect(lastBundle()).toEqual([{ id: fine.id, isAgain: false }]);

    const refused = [
      await refuseOnce('login', anthropicRefusals.login),
      await refuseOnce('limit', anthropicRefusals.limit),
      await refuseOnce('overloaded', anthropicRefusals.overloaded),
      await refuseOnce('unreachable', 'no connection'),
      await refuseOnce('rejected', anthropicRefusals.rejected),
    ];
    expect(run.said()).toContain('the model of ben refuses: not logged in');
    expect(run.said().match(/the model of ben answers again/g)).toHaveLength(refused.length);
    expect((await presenceOfBen())?.model).toBeUndefined();
    expect(lastBundle()).toEqual([{ id: refused.at(-1), isAgain: true }]);

    model.refusal = anthropicRefusals.login;
    const { id } = await say('across a restart');
    await team.until(async () => (await receiptOf(id)).model?.cause === 'login', 'the last refusal');
    run.killAgent();
    run.child.kill('SIGKILL');
    await run.exited;
    expect(await isInContext(id)).toBe(false);
    model.refusal = null;
    model.requests.splice(0);
    const second = await team.run({ ...request, again: run });
    await team.until(() => isInContext(id), 'the delivery after the restart');
    expectShown(id, fine.id);
    await second.stop();
  });

  it('Claude Code without a login asks no model, and no receipt claims that it did', async () => {
    model = await startScriptedAnthropic(() => [{ type: 'text', text: 'ok' }]);
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    const run = await team.run({
      member: 'ben',
      kind: 'claude-code',
      modelUrl: model.url,
      env: { ANTHROPIC_API_KEY: '' },
    });
    const { id } = await say('is anybody there?');
    await team.until(async () => (await receiptOf(id)).model?.cause === 'login', 'the refusal');
    expect(await isInContext(id)).toBe(false);
    expect(run.said()).toContain('1 message waits and is delivered when it answers');
    expect(model.requests).toEqual([]);
    await run.stop();
  });

  it.each(['claude-code', 'codex'])('%s proves by its own report what no gateway sees', async (kind) => {
    const isCodex = kind === 'codex';
    model = isCodex
      ? await startScriptedOpenai(() => [{ type: 'text', text: 'ok' }])
      : await startScriptedAnthropic(() => [{ type: 'text', text: 'ok' }]);
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    const options = isCodex ? ['--no-trace', ...fewAttempts] : ['--no-trace'];
    const run = await team.run({ member: 'ben', kind, modelUrl: model.url, options });
    await refuseOnce('login', isCodex ? openaiRefusals.login : anthropicRefusals.login);
    expect((await team.activityOf('ben')).filter(({ event }) => event.kind === 'llm_exchange')).toEqual([]);
    await run.stop();
  });

  it('Codex gets each message when its model is back, and no receipt claims it earlier', async () => {
    model = await startScriptedOpenai(() => [{ type: 'text', text: 'ok' }]);
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    const request = { member: 'ben', kind: 'codex', modelUrl: model.url, options: fewAttempts };
    const run = await team.run(request);
    const fine = await say('before all of it');
    await team.until(() => isInContext(fine.id), 'the first delivery');
    expect(lastBundle()).toEqual([{ id: fine.id, isAgain: false }]);

    const refused = [
      await refuseOnce('login', openaiRefusals.login),
      await refuseOnce('limit', openaiRefusals.limit),
      await refuseOnce('overloaded', openaiRefusals.overloaded),
      await refuseOnce('unreachable', 'no connection'),
      await refuseOnce('rejected', openaiRefusals.rejected),
    ];
    expect(run.said()).toContain('the model of ben refuses: not logged in');
    expect((await presenceOfBen())?.model).toBeUndefined();
    expect(lastBundle()).toEqual([{ id: refused.at(-1), isAgain: true }]);

    model.refusal = openaiRefusals.login;
    const { id } = await say('across a restart');
    await team.until(async () => (await receiptOf(id)).model?.cause === 'login', 'the last refusal');
    run.killAgent();
    run.child.kill('SIGKILL');
    await run.exited;
    expect(await isInContext(id)).toBe(false);
    model.refusal = null;
    model.requests.splice(0);
    const second = await team.run({ ...request, again: run });
    await team.until(() => isInContext(id), 'the delivery after the restart');
    expectShown(id, fine.id);
    await second.stop();
  });
});
