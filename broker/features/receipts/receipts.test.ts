import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';

/** The members for single tests. */
const others = Array.from({ length: 20 }, (_, n) => `m${n}`);
let given = 0;
/** Returns the name of a member that has done nothing yet. */
const nextMember = (): string => others[given++] ?? '';

let team: TestBroker;
beforeAll(async () => {
  const members = Object.fromEntries(others.map((name) => [name, []]));
  team = await startTestBroker({ members: { ada: ['admin'], ben: [], cy: ['operator'], ...members } });
});
afterAll(() => team.stop());

/** Starts a broker for this test alone, which the functions below use until the test ends. */
async function startOwn(): Promise<void> {
  const shared = team;
  const own = await startTestBroker();
  team = own;
  onTestFinished(() => {
    team = shared;
    return own.stop();
  });
}

const say = async (name: string, body: object): Promise<string> =>
  (await team.as(name).call('push', { body: { body: 'hello', ...body } })).message.id;
const receipts = async (name: string, id: string) =>
  (await team.as(name).call('receipts', { params: { id } })).receipts;
const report = (name: string, id: string, body: object) =>
  team.fetch(name, `/messages/${id}/receipt`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const read = (name: string, scope: string, upTo: string) =>
  team.as(name).call('reportRead', { body: { scope, upTo } });
const unread = async (name: string, scope: string) =>
  (await team.as(name).call('unread', {})).scopes.find((one) => one.scope === scope);

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

describe('GET /unread', () => {
  it('counts messages of others after the read position, and the mentions among them', async () => {
    await startOwn();
    await say('ben', {});
    const upTo = await say('ada', { body: 'for @ben' });
    await say('cy', { body: 'and @ben again' });
    expect(await unread('ben', 'general')).toEqual({
      scope: 'general',
      count: 2,
      mentions: 2,
      lastReadId: null,
    });
    await read('ben', 'general', upTo);
    expect(await unread('ben', 'general')).toEqual({
      scope: 'general',
      count: 1,
      mentions: 1,
      lastReadId: upTo,
    });
  });

  it('counts mentions in prose in any case and script, and none in code, links, or addresses', async () => {
    await startOwn();
    const bodies = ['交给@ben处理', '_@ben_', 'ask @BEN', '`@ben`', 'mail me@ben.example', 'npm i @ben/kit'];
    for (const body of bodies) await say('ada', { body });
    expect(await unread('ben', 'general')).toMatchObject({ count: 6, mentions: 3 });
  });

  it('names a direct conversation by its other side', async () => {
    const member = nextMember();
    const id = await say('ada', { to: member });
    expect(await unread(member, 'dm:ada')).toMatchObject({ count: 1 });
    expect(await unread('ada', `dm:${member}`)).toMatchObject({ count: 0 });
    await read(member, 'dm:ada', id);
    expect(await unread(member, 'dm:ada')).toMatchObject({ count: 0, lastReadId: id });
  });

  it('counts a channel from joining on, and not at all after leaving', async () => {
    const member = nextMember();
    const { id } = await team.as('ada').call('createChannel', { body: { slug: 'joined' } });
    const post = () => say('ada', { body: `hi @${member}`, data: { thread: `chan:${id}` } });
    await post();
    await team.as(member).call('joinChannel', { params: { slug: 'joined' }, body: { member } });
    await post();
    expect(await unread(member, `chan:${id}`)).toMatchObject({ count: 1, mentions: 1 });
    await team.as(member).call('leaveChannel', { params: { slug: 'joined', name: member } });
    expect(await unread(member, `chan:${id}`)).toBeUndefined();
  });

  it('does not begin before the member joined the team', async () => {
    await say('ada', {});
    const { token } = await team.as('ada').call('createMember', {
      body: { name: 'erin', role: { title: 'd', description: '' }, permissions: [] },
    });
    const reply = await fetch(`${team.url}/unread`, { headers: { authorization: `Bearer ${token}` } });
    expect(await reply.json()).toEqual({
      scopes: [{ scope: 'general', count: 0, mentions: 0, lastReadId: null }],
      newestId: null,
    });
  });

  it('says up to which message it counts, the caller’s own included, and reveals none that the caller cannot read (ADR 0014)', async () => {
    await startOwn();
    const newest = async () => (await team.as('ben').call('unread', {})).newestId;
    expect(await newest()).toBeNull();
    const direct = await say('ada', { to: 'ben' });
    expect(await newest()).toBe(direct);
    await say('ada', { to: 'cy' });
    expect(await newest()).toBe(direct);
    const own = await say('ben', {});
    expect(await newest()).toBe(own);
    const { id } = await team.as('ada').call('createChannel', { body: { slug: 'ops' } });
    const post = () => say('ada', { data: { thread: `chan:${id}` } });
    await post();
    await team.as('ben').call('joinChannel', { params: { slug: 'ops' }, body: { member: 'ben' } });
    expect(await newest()).toBe(own);
    const later = await post();
    expect(await newest()).toBe(later);
  });
});

describe('POST /messages/read', () => {
  it('is refused for a message of another scope, of others’ conversation, or that does not exist', async () => {
    const direct = await say('ada', { to: 'ben' });
    await expect(read('ben', 'general', direct)).rejects.toMatchObject({ status: 400 });
    await expect(read('cy', 'dm:ada', direct)).rejects.toMatchObject({ status: 404 });
    await expect(read('ben', 'dm:ada', '019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071')).rejects.toMatchObject({
      status: 404,
    });
    await expect(read('ben', 'elsewhere', direct)).rejects.toMatchObject({ status: 400 });
  });

  it('survives a restart', async () => {
    const onDisk = await startTestBroker({ onDisk: true });
    try {
      const { message } = await onDisk.as('ada').call('push', { body: { to: 'ben', body: 'x' } });
      await onDisk.as('ben').call('reportRead', { body: { scope: 'dm:ada', upTo: message.id } });
      await onDisk.restart();
      const { receipts: known } = await onDisk.as('ada').call('receipts', { params: { id: message.id } });
      expect(known).toMatchObject([{ member: 'ben', state: 'read' }]);
    } finally {
      await onDisk.stop();
    }
  });
});

describe('GET /subscribe?events=all', () => {
  const all = (name: string) =>
    openTestStream(`${team.url}/subscribe?name=${name}&events=all`, team.token(name));
  const of = (stream: Awaited<ReturnType<typeof all>>, event: string) =>
    stream.frames.filter((frame) => frame.event === event).map(({ data }) => JSON.parse(data));

  it('sends receipts to the sender', async () => {
    const [sender, member] = [nextMember(), nextMember()];
    const stream = await all(sender);
    const id = await say(sender, { to: member });
    await read(member, `dm:${sender}`, id);
    await report(member, id, { state: 'accepted', at: 5 });
    await stream.until(() => of(stream, 'receipt').length === 2);
    expect(of(stream, 'receipt')).toEqual([
      { messageId: id, member, state: 'read', at: expect.any(Number) },
      { messageId: id, member, state: 'accepted', at: 5 },
    ]);
    expect(
      stream.frames.filter(({ event }) => event === 'receipt').every((frame) => frame.id === undefined),
    ).toBe(true);
    stream.close();
  });

  it('tells the reader’s own streams what was read on one of them, and nobody else’s', async () => {
    const [member, other] = [nextMember(), nextMember()];
    const [reader, stranger] = [await all(member), await all(other)];
    const id = await say('ada', { to: member });
    await read(member, 'dm:ada', id);
    const own = await say(member, {});
    await read(member, 'general', own);
    // Nothing changes, so nothing is announced.
    await read(member, 'dm:ada', id);
    const last = await say('ada', { to: member });
    await read(member, 'dm:ada', last);
    await reader.until(() => of(reader, 'receipt').length === 3);
    expect(of(reader, 'receipt')).toEqual(
      [id, own, last].map((messageId) => ({
        messageId,
        member,
        state: 'read',
        at: expect.any(Number),
      })),
    );
    await say('ada', { body: 'look' });
    await stranger.until(() => stranger.messages().length === 2);
    expect(of(stranger, 'receipt')).toEqual([]);
    reader.close();
    stranger.close();
  });

  it('sends presence', async () => {
    const member = nextMember();
    const stream = await all('ada');
    const other = await team.stream(member);
    await team.as(member).call('reportBusy', { body: { busy: true } });
    other.close();
    await stream.until(() =>
      of(stream, 'presence').some(({ name, connected, busy }) => name === member && connected === 0 && busy),
    );
    stream.close();
  });

  it('announces changes to whoever may read the resource', async () => {
    await startOwn();
    const [manager, member] = [await all('ada'), await all('ben')];
    const { userCode } = await team.as('ben').call('enroll', { body: {} });
    const channel = await team.as('cy').call('createChannel', { body: { slug: 'ops' } });
    await team.as('ada').call('updateTeam', { body: { brief: 'new' } });
    await team.as('ada').call('updateMember', { params: { name: 'cy' }, body: { instructions: 'x' } });
    const seen = (stream: typeof manager) => of(stream, 'change');
    await member.until(() => seen(member).some(({ resource }) => resource === 'member'));
    expect(seen(member)).toEqual([
      { resource: 'channel', id: channel.id },
      { resource: 'team', id: 'Test' },
      { resource: 'member', id: 'cy' },
    ]);
    await manager.until(() => seen(manager).length === 4);
    expect(seen(manager)[0]).toEqual({ resource: 'enrollment', id: userCode });
    manager.close();
    member.close();
  });

  it('adds nothing to a stream that did not ask for it', async () => {
    const member = nextMember();
    const [plain, full] = [await team.stream(member), await all(member)];
    await team.as('cy').call('createChannel', { body: { slug: 'quiet' } });
    await full.until(() => of(full, 'change').length === 1);
    await say('ada', {});
    await plain.until(() => plain.messages().length === 1);
    expect(plain.frames.map(({ event }) => event)).toEqual(['ready', 'message']);
    full.close();
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
