/** Receipts: the state of a message for each recipient, the evidence that runners report, and messages that wait for it. */
import { describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { setUpReceiptTeam } from './testing/receipt-team.ts';

let team: TestBroker;
const { nextMember, startOwn, say, receipts, report, read } = setUpReceiptTeam((current) => {
  team = current;
});

describe('GET /messages/:id/receipts', () => {
  it('has one receipt per recipient: stored until more is known', async () => {
    await startOwn();
    const direct = await say('ada', { to: 'ben' });
    expect(await receipts('ada', direct)).toEqual([
      { member: 'ben', state: 'stored', at: expect.any(Number) },
    ]);
    const broadcast = await say('ada', {});
    expect((await receipts('ada', broadcast)).map(({ member }) => member)).toEqual(['ben', 'cy']);
  });

  it('has every recipient of a team that is read in several pieces', async () => {
    const names = Array.from({ length: 1100 }, (_, n) => `m${n}`);
    const members = Object.fromEntries(names.map((name) => [name, []]));
    const large = await startTestBroker({ members: { ada: ['admin'], ...members } });
    try {
      const { message } = await large.as('ada').call('push', { body: { body: 'hello' } });
      const { receipts: known } = await large.as('ada').call('receipts', { params: { id: message.id } });
      expect(known.map(({ member }) => member)).toEqual(names);
    } finally {
      await large.stop();
    }
  });

  it('reports delivered for members whose live stream carried it, and for nobody else', async () => {
    await startOwn();
    const stream = await team.stream('ben');
    const id = await say('ada', {});
    await stream.until(() => stream.messages().length === 1);
    expect(await receipts('ada', id)).toEqual([
      { member: 'ben', state: 'delivered', at: null },
      { member: 'cy', state: 'stored', at: expect.any(Number) },
    ]);
  });

  it('does not report delivered for what a later live-only stream never carried', async () => {
    const member = nextMember();
    const missed = await say('ada', { to: member });
    const stream = await team.stream(member);
    const carried = await say('ada', { to: member });
    await stream.until(() => stream.messages().length === 1);
    expect(await receipts('ada', carried)).toMatchObject([{ state: 'delivered' }]);
    expect(await receipts('ada', missed)).toMatchObject([{ state: 'stored' }]);
  });

  it('reports delivered for what a resumed stream caught up on', async () => {
    const member = nextMember();
    const before = await team.stream(member);
    const cursor = before.cursor();
    before.close();
    const id = await say('ada', { to: member });
    const stream = await team.stream(member, cursor);
    await stream.until(() => stream.messages().length === 1);
    expect(await receipts('ada', id)).toMatchObject([{ state: 'delivered' }]);
  });

  it('reports read up to the read position and not beyond', async () => {
    const member = nextMember();
    const first = await say('ada', { to: member });
    const second = await say('ada', { to: member });
    const third = await say('ada', { to: member });
    await read(member, 'dm:ada', second);
    expect(await receipts('ada', first)).toEqual([{ member, state: 'read', at: null }]);
    expect(await receipts('ada', second)).toEqual([{ member, state: 'read', at: expect.any(Number) }]);
    expect(await receipts('ada', third)).toMatchObject([{ state: 'stored' }]);
    await read(member, 'dm:ada', first);
    expect(await receipts('ada', second)).toMatchObject([{ state: 'read' }]);
  });

  it('has the strongest state that a runner reported, whatever follows', async () => {
    const member = nextMember();
    const id = await say('ada', { to: member });
    expect((await report(member, id, { state: 'in_context', at: 5 })).status).toBe(204);
    expect((await report(member, id, { state: 'accepted', at: 6 })).status).toBe(204);
    expect(await receipts('ada', id)).toEqual([{ member, state: 'in_context', at: 5 }]);
    await report(member, id, { state: 'answered', at: 7 });
    expect(await receipts('ada', id)).toEqual([{ member, state: 'answered', at: 7 }]);
  });

  it('is for the sender and managers', async () => {
    const id = await say('ben', { to: 'cy' });
    expect(await receipts('ada', id)).toHaveLength(1);
    await expect(receipts('cy', id)).rejects.toMatchObject({ status: 403 });
    await expect(receipts('ada', id.replace(/.$/, id.endsWith('0') ? '1' : '0'))).rejects.toMatchObject({
      status: 404,
    });
  });

  it('counts a channel’s members at the time as its recipients', async () => {
    const { id: channel } = await team.as('ada').call('createChannel', { body: { slug: 'roster' } });
    await team.as('ben').call('joinChannel', { params: { slug: 'roster' }, body: { member: 'ben' } });
    const id = await say('ada', { data: { thread: `chan:${channel}` } });
    await team.as('cy').call('joinChannel', { params: { slug: 'roster' }, body: { member: 'cy' } });
    expect((await receipts('ada', id)).map(({ member }) => member)).toEqual(['ben']);
    expect((await report('cy', id, { state: 'accepted', at: 1 })).status).toBe(403);
  });

  it('does not count a later member as a recipient of earlier broadcasts', async () => {
    const id = await say('ada', {});
    const { token } = await team.as('ada').call('createMember', {
      body: { name: 'dora', role: { title: 'd', description: '' }, permissions: [] },
    });
    expect(token).toMatch(/^svc_/);
    const later = await say('ada', {});
    const members = async (message: string) => (await receipts('ada', message)).map(({ member }) => member);
    expect(await members(id)).not.toContain('dora');
    expect(await members(later)).toContain('dora');
  });
});

describe('POST /messages/:id/receipt', () => {
  it.each([
    ['read', 400],
    ['delivered', 400],
    ['offered', 400],
    ['accepted', 204],
  ])('%s answers %i', async (state, status) => {
    const id = await say('ada', { to: 'ben' });
    expect((await report('ben', id, { state, at: 1 })).status).toBe(status);
  });

  it('is refused to anybody who is not a recipient, and for a time in the future', async () => {
    const member = nextMember();
    const id = await say('ada', { to: member });
    expect((await report('cy', id, { state: 'accepted', at: 1 })).status).toBe(403);
    expect((await report('ada', id, { state: 'accepted', at: 1 })).status).toBe(403);
    expect((await report(member, id, { state: 'accepted', at: Date.now() + 3_600_000 })).status).toBe(400);
    expect(await receipts('ada', id)).toMatchObject([{ state: 'stored' }]);
  });
});

describe('a message that the caller cannot read', () => {
  it('is refused for receipts and evidence alike, whether it exists or not, so that ids cannot be probed', async () => {
    const direct = await say('ada', { to: 'ben' });
    const nobodys = '019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071';
    const answers = async (id: string) => {
      const replies = [
        await team.fetch('cy', `/messages/${id}/receipts`),
        await report('cy', id, { state: 'accepted', at: 1 }),
        await team.fetch('cy', '/messages/read', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ scope: 'dm:ada', upTo: id }),
        }),
      ];
      return Promise.all(replies.map(async (reply) => [reply.status, await reply.json()]));
    };
    expect(await answers(nobodys)).toEqual(await answers(direct));
    await expect(receipts('ada', nobodys)).rejects.toMatchObject({ status: 404 });
  });
});

describe('GET /messages/waiting', () => {
  const waiting = async (name: string) => team.as(name).call('waiting', {});
  const idsOf = async (name: string) => (await waiting(name)).messages.map(({ id }) => id);

  it('has direct messages and mentions without a runner’s evidence, oldest first, without the caller’s own', async () => {
    const [member, other] = [nextMember(), nextMember()];
    const direct = await say('ada', { to: member });
    await say('ada', { body: 'for all' });
    const mention = await say(other, { body: `you, @${member}` });
    await say(member, { to: 'ada', body: `mine, @${member}` });
    expect(await idsOf(member)).toEqual([direct, mention]);
    expect(await idsOf(other)).toEqual([]);
    await report(member, direct, { state: 'accepted', at: 1 });
    expect(await idsOf(member)).toEqual([mention]);
    await report(member, mention, { state: 'in_context', at: 1 });
    expect(await waiting(member)).toEqual({ messages: [], more: 0 });
  });

  it('has no mention in a channel that the caller has left', async () => {
    const member = nextMember();
    const { id } = await team.as('ada').call('createChannel', { body: { slug: 'left' } });
    await team.as(member).call('joinChannel', { params: { slug: 'left' }, body: { member } });
    const post = await say('ada', { body: `@${member}`, data: { thread: `chan:${id}` } });
    expect(await idsOf(member)).toEqual([post]);
    await team.as(member).call('leaveChannel', { params: { slug: 'left', name: member } });
    expect(await idsOf(member)).toEqual([]);
  });

  it('has no mention from before the caller joined the channel, for which no receipt could be reported', async () => {
    const member = nextMember();
    const { id } = await team.as('ada').call('createChannel', { body: { slug: 'early', private: true } });
    const early = await say('ada', { body: `@${member}`, data: { thread: `chan:${id}` } });
    // The mention is indexed before the member joins.
    expect(await idsOf(member)).toEqual([]);
    await team.as('ada').call('joinChannel', { params: { slug: 'early' }, body: { member } });
    expect((await report(member, early, { state: 'accepted', at: 1 })).status).toBe(403);
    expect(await idsOf(member)).toEqual([]);
    const later = await say('ada', { body: `@${member}`, data: { thread: `chan:${id}` } });
    expect(await idsOf(member)).toEqual([later]);
  });

  it('has the notices of an objective for the members of its thread only, whomever its title mentions', async () => {
    const [member, other] = [nextMember(), nextMember()];
    await team
      .as('ada')
      .call('createObjective', { body: { title: `Ask @${other}`, outcome: 'asked', assignee: member } });
    expect((await waiting(member)).messages).toMatchObject([
      { data: { event: { type: 'objective.assigned' } } },
    ]);
    expect(await idsOf(other)).toEqual([]);
  });

  it('has the newest 200 and counts the older ones', async () => {
    const member = nextMember();
    const sent: string[] = [];
    for (let n = 0; n < 203; n++) sent.push(await say('ada', { to: member }));
    const { messages, more } = await waiting(member);
    expect(messages.map(({ id }) => id)).toEqual(sent.slice(3));
    expect(more).toBe(3);
  });
});
