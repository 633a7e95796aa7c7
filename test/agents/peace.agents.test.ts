import { afterEach, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { type AgentTeam, startAgentTeam } from './agent-team.ts';
import { startScriptedAnthropic } from './scripted-anthropic.ts';
import { startScriptedOpenai } from './scripted-openai.ts';

interface Model {
  url: string;
  requests: unknown[];
  close(): Promise<void>;
}

let team: AgentTeam;
let models: Model[] = [];
afterEach(async () => {
  await team.stop();
  for (const model of models) await model.close();
  models = [];
});

const idsIn = (text: string): string[] =>
  [...text.matchAll(/svc-message id=\\?"([0-9a-f-]{36})/g)].map(([, id = '']) => id);

type Kind = 'claude-code' | 'codex';

/** A model that answers every message that it reads once, to this member; without a name, it says `done`. */
async function politeModel(kind: Kind, to: string | null): Promise<Model> {
  const answered = new Set<string>();
  function next(request: string): Record<string, unknown> | null {
    const id = to === null ? undefined : idsIn(request).find((one) => !answered.has(one));
    if (id === undefined) return null;
    answered.add(id);
    return { to, body: `thank you ${answered.size}`, inReplyTo: id };
  }
  const model =
    kind === 'codex'
      ? await startScriptedOpenai((request) => {
          const input = next(JSON.stringify(request));
          return input === null
            ? [{ type: 'text', text: 'done' }]
            : [{ type: 'call', name: 'send', namespace: 'mcp__svc', input }];
        })
      : await startScriptedAnthropic((request) => {
          const input = next(JSON.stringify(request));
          return input === null
            ? [{ type: 'text', text: 'done' }]
            : [{ type: 'tool_use', name: 'mcp__svc__send', input }];
        });
  models.push(model);
  return model;
}

const reached = (model: Model, { id }: Message): boolean =>
  model.requests.some((request) => idsIn(JSON.stringify(request)).includes(id));

/** Proven receipts of the message and what the recipient's model read say the same in the end. */
async function expectTrueReceipt(message: Message, recipient: string, model: Model): Promise<void> {
  const stateOf = async () => {
    const { receipts } = await team.team.as('ada').call('receipts', { params: { id: message.id } });
    return receipts.find(({ member }) => member === recipient)?.state ?? 'none';
  };
  const isProven = async () => ['in_context', 'answered'].includes(await stateOf());
  await team.until(
    async () => (await isProven()) === reached(model, message),
    `the receipt of ${message.body}`,
  );
}

async function started(member: string, kind: Kind, model: Model, options: string[] = []) {
  const run = await team.run({ member, kind, modelUrl: model.url, options });
  await team.until(() => run.said().includes('log:'), `the start of ${member}`);
  return run;
}

it('stops two agents that always answer each other, and a release lets them go on', async () => {
  team = await startAgentTeam({ ada: ['admin'], ben: ['members.manage'], cy: [] });
  const claude = await politeModel('claude-code', 'cy');
  const codex = await politeModel('codex', 'ben');
  await started('ben', 'claude-code', claude);
  await started('cy', 'codex', codex);
  const ada = team.team.as('ada');
  await ada.call('updateTeam', { body: { maxAgentHops: 4 } });
  await ada.call('push', { body: { to: 'ben', body: 'greet cy' } });
  const held = async () => (await ada.call('heldPosts', {})).held;
  const between = async (): Promise<Message[]> =>
    (await team.team.as('ben').call('history', { query: { with: 'cy' } })).messages.toReversed();
  await team.until(async () => (await held()).length === 1, 'the hold');

  expect((await between()).map(({ agent }) => agent?.hops)).toEqual([1, 2, 3, 4]);
  const [post] = await held();
  expect(post).toMatchObject({ from: 'ben', to: 'cy', hops: 5, reason: 'hops' });
  await team.until(
    () => claude.requests.some((request) => JSON.stringify(request).includes('held, not delivered')),
    'the result of the tool',
  );
  for (const message of await between())
    await expectTrueReceipt(message, message.to ?? '', message.to === 'cy' ? codex : claude);
  // Nothing answers a post that nobody has.
  expect(await between()).toHaveLength(4);

  await ada.call('releaseHeld', { params: { id: post?.id ?? '' } });
  await team.until(async () => (await held()).length === 1, 'the next hold');
  expect((await between()).map(({ agent }) => agent?.hops)).toEqual([1, 2, 3, 4, 0, 1, 2, 3, 4]);
  for (const message of await between())
    await expectTrueReceipt(message, message.to ?? '', message.to === 'cy' ? codex : claude);
});

it.each(['claude-code', 'codex'] as const)(
  'lets posts of an agent to nobody wait for the next turn of %s, which a person begins, and then brings all in order',
  async (kind) => {
    team = await startAgentTeam({ ada: ['admin'], ben: [], cy: [] });
    const model = await politeModel(kind, null);
    const run = await started('ben', kind, model);
    const say = async (by: string, body: string, causes?: string[]): Promise<Message> => {
      const post = { body, ...(causes !== undefined && { causes: [] }) };
      return (await team.team.as(by).call('push', { body: post })).message;
    };
    // A direct message waits for the run's stream.
    const { message: first } = await team.team
      .as('ada')
      .call('push', { body: { to: 'ben', body: 'are you there?' } });
    await expectTrueReceiptOf(first);
    await team.until(() => reached(model, first), 'the first turn');
    const turns = model.requests.length;

    const reports: Message[] = [];
    for (let count = 1; count <= 5; count++) reports.push(await say('cy', `report ${count}`, []));
    const question = await say('ada', 'what do you think?');
    await team.until(() => reached(model, question), 'the next turn');
    const asked = model.requests.slice(turns);
    const read = idsIn(JSON.stringify(asked[0])).filter((id) => id !== first.id);
    expect(read).toEqual([...reports, question].map(({ id }) => id));
    for (const message of [...reports, question]) await expectTrueReceiptOf(message);
    // One turn: no request came before the question, and none repeats a report by itself.
    expect(asked).toHaveLength(1);

    // A message that waits at the end of a run comes with the first turn of the next one.
    const late = await say('cy', 'a late report', []);
    await run.stop();
    const again = await team.run({ member: 'ben', kind, modelUrl: model.url, again: run });
    await team.until(() => again.said().includes('log:'), 'the second start');
    const last = await say('ada', 'and now?');
    await team.until(() => reached(model, last), 'the turn of the second run');
    for (const message of [late, last]) await expectTrueReceiptOf(message);
    expect(reached(model, late)).toBe(true);

    function expectTrueReceiptOf(message: Message): Promise<void> {
      return expectTrueReceipt(message, 'ben', model);
    }
  },
);
