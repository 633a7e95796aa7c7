import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AgentTeam, startAgentTeam } from './agent-team.ts';
import { type Block, startScriptedAnthropic } from './scripted-anthropic.ts';
import { startScriptedOpenai } from './scripted-openai.ts';

/** A scripted model, as far as both kinds of agents need it here. */
interface Model {
  url: string;
  requests: unknown[];
  close(): Promise<void>;
}

let team: AgentTeam;
let model: Model;
afterEach(async () => {
  await team.stop();
  await model.close();
});

const kinds = ['claude-code', 'codex'] as const;
type Kind = (typeof kinds)[number];

type Call = { tool: string; input: Record<string, unknown> };

/** Starts a model that makes the next call, or says `done`. */
async function startModel(kind: Kind, next: (request: string) => Call | null): Promise<Model> {
  if (kind === 'codex')
    return startScriptedOpenai((request) => {
      const call = next(JSON.stringify(request));
      return call === null
        ? [{ type: 'text', text: 'done' }]
        : [{ type: 'call', name: call.tool, namespace: 'mcp__svc', input: call.input }];
    });
  return startScriptedAnthropic((request): Block[] => {
    const call = next(JSON.stringify(request));
    return call === null
      ? [{ type: 'text', text: 'done' }]
      : [{ type: 'tool_use', name: `mcp__svc__${call.tool}`, input: call.input }];
  });
}

const saw = (text: string): boolean => model.requests.some((one) => JSON.stringify(one).includes(text));

const Offer = z.object({ tools: z.array(z.object({ name: z.string().optional() }).loose()).default([]) });
/** The team's tools in the first request. */
const offeredTools = () => Offer.parse(model.requests[0]).tools.filter(({ name }) => name?.includes('svc'));

describe.each(kinds)('the tools of %s', (kind) => {
  it('answer the model with the specified texts, and a call that waits gets the next message', async () => {
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    const calls: Call[] = [
      { tool: 'recent', input: { with: 'ada' } },
      { tool: 'wait_for_messages', input: { seconds: 60 } },
    ];
    model = await startModel(kind, () => calls.shift() ?? null);
    const run = await team.run({ member: 'ben', kind, modelUrl: model.url });
    await team.until(() => run.said().includes('log:'), 'the start');
    // A text that the agent replaced by structured content would not be there.
    const say = (body: string) => team.team.as('ada').call('push', { body: { to: 'ben', body } });
    const { message } = await say('please wait for the next one');
    await team.until(() => saw('1 recent messages of the conversation with ada'), 'the first result');
    expect(saw(`ids, in this order: ${message.id}`)).toBe(true);
    // Codex searches for tools and lists none; Claude Code passes on all of them.
    expect(Buffer.byteLength(JSON.stringify(offeredTools())) / 3.5).toBeLessThan(2000);
    expect(JSON.stringify(model.requests[0])).not.toContain('ReadMcpResource');
    expect(offeredTools().length > 0).toBe(kind === 'claude-code');
    await team.until(() => run.logged().includes('"tool":"wait_for_messages"'), 'the call that waits');
    const { message: second } = await say('this is the next one');
    await team.until(() => saw('this is the next one'), 'the second result');
    const receipts = () => team.team.as('ada').call('receipts', { params: { id: second.id } });
    await expect
      .poll(async () => (await receipts()).receipts)
      // The final text of the turn is the reply to it.
      .toMatchObject([{ member: 'ben', state: 'answered' }]);
    await run.stop();
  });

  it('answer with inReplyTo, and without a post, the final text of the turn is the reply; an assignment is complete', async () => {
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    model = await startModel(kind, (request) => {
      // The last block's id, as a model would copy it.
      const id = /svc-message id=\\?"([0-9a-f-]{36})\\?"[^>]*>\\n(?:use the tool)/.exec(request)?.[1];
      if (id === undefined || request.includes('forty-two')) return null;
      return { tool: 'send', input: { to: 'ada', body: 'forty-two', inReplyTo: id } };
    });
    const ada = await team.team.stream('ada');
    const run = await team.run({ member: 'ben', kind, modelUrl: model.url });
    await team.until(() => run.said().includes('log:'), 'the start');
    const ask = async (body: string) =>
      (await team.team.as('ada').call('push', { body: { to: 'ben', body } })).message.id;
    const stateOf = async (id: string) =>
      (await team.team.as('ada').call('receipts', { params: { id } })).receipts[0]?.state;
    const answers = () => ada.messages().filter(({ from }) => from === 'ben');

    const first = await ask('are you there?');
    await team.until(() => answers().length === 1, 'the final text');
    expect(answers()[0]).toMatchObject({ to: 'ada', body: 'done', inReplyTo: first, auto: true });
    expect(await stateOf(first)).toBe('answered');

    const second = await ask('use the tool');
    await team.until(() => answers().length === 2, 'the answer');
    expect(answers()[1]).toMatchObject({ body: 'forty-two', inReplyTo: second });
    expect(answers()[1]).not.toHaveProperty('auto');
    expect(await stateOf(second)).toBe('answered');
    const third = await ask('and again?');
    await team.until(() => answers().length === 3, 'the third answer');
    // Nothing else came in between: the turn with a post had no other reply.
    expect(answers()[2]).toMatchObject({ inReplyTo: third, auto: true });
    const plan = { title: 'Plan', outcome: 'It is <drawn>', assignee: 'ben', body: 'Begin with the cover' };
    await team.team.as('ada').call('createObjective', { body: plan });
    await team.until(
      () => saw('outcome: It is &lt;drawn&gt;') && saw('details: Begin with the cover'),
      'the objective',
    );
    await run.stop();
  });
});

const briefMark = 'From the captain:';
const brief = `${briefMark} ${'The boat leaves at ten. '.repeat(160)}`;
const copiesIn = (value: unknown): number => (JSON.stringify(value) ?? '').split(briefMark).length - 1;

describe.each(kinds)('the model of %s', (kind) => {
  it('is told the brief of the team once', async () => {
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    await team.team.as('ada').call('updateTeam', { body: { brief } });
    model = await startModel(kind, () => null);
    await team.run({ member: 'ben', kind, modelUrl: model.url });
    await team.team.as('ada').call('push', { body: { to: 'ben', body: 'When does it leave?' } });
    await team.until(() => model.requests.length > 0, 'the first request');
    expect(copiesIn(model.requests[0])).toBe(1);
  });
});

it('the default model of Codex finds the tools in its own catalog, which is short, and calls them by script', async () => {
  team = await startAgentTeam({ ada: ['admin'], ben: [] });
  await team.team.as('ada').call('updateTeam', { body: { brief } });
  const script = [
    "text(JSON.stringify(ALL_TOOLS.filter(({ name }) => name.startsWith('mcp__svc__'))));",
    "text(await tools.mcp__svc__send({ to: 'ada', body: 'at ten' }));",
  ].join('\n');
  const openai = await startScriptedOpenai((_, turn) =>
    turn === 0 ? [{ type: 'exec', script }] : [{ type: 'text', text: 'done' }],
  );
  model = openai;
  await team.run({ member: 'ben', kind: 'codex', modelUrl: model.url });
  await team.team.as('ada').call('push', { body: { to: 'ben', body: 'When does it leave?' } });
  await team.until(() => openai.requests.length > 1, 'the result of the script');
  const result = openai.requests[1]?.input.find(({ type }) => type === 'custom_tool_call_output');
  const [, catalog, answer] = z
    .object({ output: z.array(z.object({ text: z.string() })) })
    .parse(result).output;
  const tools = z
    .array(z.object({ name: z.string(), description: z.string() }))
    .parse(JSON.parse(catalog?.text ?? ''));
  expect(tools.length).toBeGreaterThan(20);
  expect(copiesIn(tools)).toBe(0);
  expect(Buffer.byteLength(catalog?.text ?? '')).toBeLessThan(10_000);
  expect(answer?.text).toContain('delivered to ada: live=0 targets=1 msg=');
});
