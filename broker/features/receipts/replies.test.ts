import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker();
});
afterEach(() => team.stop());

const say = async (name: string, body: object) =>
  (await team.as(name).call('push', { body: { body: 'hello', ...body } })).message;
const stateOf = async (sender: string, id: string, member: string) =>
  (await team.as(sender).call('receipts', { params: { id } })).receipts.find((one) => one.member === member)
    ?.state;
const post = (name: string, path: string, body: object) =>
  team.fetch(name, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('a post that answers another', () => {
  it('names it, is answered evidence for its author, and tells the sender live', async () => {
    const question = await say('ada', { to: 'ben' });
    expect(question).not.toHaveProperty('inReplyTo');
    const stream = await openTestStream(`${team.url}/subscribe?name=ada&events=all`, team.token('ada'));
    const answer = await say('ben', { to: 'ada', inReplyTo: question.id });
    expect(answer).toMatchObject({ inReplyTo: question.id });
    expect(answer).not.toHaveProperty('auto');
    expect(await stateOf('ada', question.id, 'ben')).toBe('answered');
    const news = { messageId: question.id, member: 'ben', state: 'answered', at: answer.ts };
    await stream.until((frames) => frames.some(({ data }) => data === JSON.stringify(news)));
    stream.close();
    const { messages } = await team.as('ada').call('history', { query: { with: 'ben' } });
    expect(messages[0]).toEqual(answer);
    // It waits no longer for a runner.
    expect((await team.as('ben').call('waiting', {})).messages).toEqual([]);
  });

  it('may be in any conversation in which its author may post, an objective’s thread included', async () => {
    const broadcast = await say('ada', {});
    expect(await say('ben', { to: 'cy', inReplyTo: broadcast.id, auto: true })).toMatchObject({
      inReplyTo: broadcast.id,
      auto: true,
    });
    expect(await stateOf('ada', broadcast.id, 'ben')).toBe('answered');
    expect(await stateOf('ada', broadcast.id, 'cy')).toBe('stored');
    const objective = await team
      .as('ada')
      .call('createObjective', { body: { title: 'T', outcome: 'O', assignee: 'ben' } });
    const { messages } = await team.as('ben').call('history', { query: { objective: objective.id } });
    const [notice] = messages;
    const reply = await team.as('ben').call('discussObjective', {
      params: { id: objective.id },
      body: { body: 'on it', inReplyTo: notice?.id ?? '' },
    });
    expect(reply).toMatchObject({ inReplyTo: notice?.id });
    expect(await stateOf('ada', notice?.id ?? '', 'ben')).toBe('answered');
  });

  it('cannot name a message that its author cannot read, and the refusal is that of an unknown one', async () => {
    const secret = await say('ada', { to: 'ben' });
    const unknown = '019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071';
    const objective = await team
      .as('ada')
      .call('createObjective', { body: { title: 'T', outcome: 'O', assignee: 'cy' } });
    const path = `/objectives/${objective.id}/discuss`;
    const texts = [
      await (await post('cy', '/push', { body: 'x', inReplyTo: secret.id })).text(),
      await (await post('cy', '/push', { body: 'x', inReplyTo: unknown })).text(),
      await (await post('cy', path, { body: 'x', inReplyTo: secret.id })).text(),
      await (await post('cy', path, { body: 'x', inReplyTo: unknown })).text(),
    ];
    expect(new Set(texts).size).toBe(1);
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ reason: 'unknown_message' });
    expect((await team.as('cy').call('history', { query: {} })).messages).toEqual([]);
    expect(await stateOf('ada', secret.id, 'ben')).toBe('stored');
  });

  it('claims nothing about a message that was not for its author', async () => {
    const own = await say('ben', { to: 'ada' });
    await say('ben', { to: 'ada', inReplyTo: own.id });
    expect(await stateOf('ben', own.id, 'ada')).toBe('stored');
  });

  it('is stored once for one key, and answers once', async () => {
    const question = await say('ada', { to: 'ben' });
    const request = { body: { to: 'ada', body: 'yes', inReplyTo: question.id } };
    const headers = { 'idempotency-key': 'k1' };
    const first = await team.as('ben').call('push', { ...request, headers });
    expect(await team.as('ben').call('push', { ...request, headers })).toEqual(first);
  });
});
