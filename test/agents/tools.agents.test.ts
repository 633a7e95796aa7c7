import { afterEach, describe, expect, it } from 'vitest';
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

/** Starts a model that makes these calls, one per request, and then says `done`. */
async function startModel(kind: Kind, next: () => Call | null): Promise<Model> {
  if (kind === 'codex')
    return startScriptedOpenai(() => {
      const call = next();
      return call === null
        ? [{ type: 'text', text: 'done' }]
        : [{ type: 'call', name: call.tool, namespace: 'mcp__svc', input: call.input }];
    });
  return startScriptedAnthropic((): Block[] => {
    const call = next();
    return call === null
      ? [{ type: 'text', text: 'done' }]
      : [{ type: 'tool_use', name: `mcp__svc__${call.tool}`, input: call.input }];
  });
}

const saw = (text: string): boolean => model.requests.some((one) => JSON.stringify(one).includes(text));

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
    const { message: second } = await say('this is the next one');
    await team.until(() => saw('this is the next one'), 'the second result');
    const receipts = () => team.team.as('ada').call('receipts', { params: { id: second.id } });
    await expect
      .poll(async () => (await receipts()).receipts)
      .toMatchObject([{ member: 'ben', state: 'in_context' }]);
    await run.stop();
  });
});
