import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream, type TestStream } from '../../testing/test-stream.ts';
import { channelRequests } from './testing/channel-requests.ts';

let team: TestBroker;
/** A slug that no other test uses. */
let ops: string;
let testCount = 0;
beforeAll(async () => {
  team = await startTestBroker({
    members: {
      ada: ['members.manage', 'team.manage'],
      ben: [],
      cy: [],
      dan: [],
      eli: [],
      'bot-1': [],
      'bot-2': [],
    },
    config: { files: { root: 'files' } },
  });
});
afterAll(() => team.stop());
beforeEach(() => {
  testCount += 1;
  ops = `ops-${testCount}`;
});

const { send, create, rename, archive, add, leave, post, posted } = channelRequests(() => team);
const createPrivate = async (by: string, ...members: string[]): Promise<string> => {
  const { body } = await send(by, 'POST', '/channels', { slug: ops, private: true });
  for (const member of members) await add(by, ops, member);
  return body.id;
};
const setPrivate = (by: string, isPrivate: boolean, slug = ops) =>
  send(by, 'PATCH', `/channels/${slug}`, { private: isPrivate });
const seesIt = async (by: string) => {
  const { channels } = await team.as(by).call('channels', {});
  return channels.some(({ slug }) => slug === ops);
};

describe('the flag', () => {
  it('is in a channel only if the channel is private', async () => {
    const { status, body } = await send('ben', 'POST', '/channels', { slug: ops, private: true });
    expect([status, body.private]).toEqual([201, true]);
    expect((await send('ben', 'GET', `/channels/${ops}`)).body.channel).toMatchObject({
      private: true,
      joined: true,
      myRole: 'admin',
      memberCount: 1,
    });
    const { body: shown } = await setPrivate('ben', false);
    expect(shown).toEqual({ ...body, private: undefined });
    expect('private' in shown).toBe(false);
    expect((await setPrivate('ben', true)).body).toEqual(body);
    const { body: ordinary } = await send('ben', 'POST', '/channels', { slug: `${ops}-x`, private: false });
    expect('private' in ordinary).toBe(false);
  });

  it('is changed by channel admins and managers only, alone or with the slug', async () => {
    await create('ben', ops);
    await add('ben', ops, 'cy');
    for (const name of ['cy', 'dan']) expect((await setPrivate(name, true)).status).toBe(403);
    expect((await setPrivate('ada', true)).body.private).toBe(true);
    expect((await setPrivate('cy', false)).status).toBe(403);
    const both = await send('ben', 'PATCH', `/channels/${ops}`, { slug: `${ops}-x`, private: false });
    expect(both.body).toMatchObject({ slug: `${ops}-x` });
    expect(both.body.private).toBeUndefined();
    expect((await send('ben', 'PATCH', `/channels/${ops}-x`, {})).status).toBe(400);
  });

  it('does not exist for general, 409, and stays in an archived channel, 410', async () => {
    expect((await setPrivate('ada', true, 'general')).status).toBe(409);
    expect((await setPrivate('ben', true, 'general')).status).toBe(403);
    await createPrivate('ben');
    await archive('ben', ops);
    expect((await setPrivate('ben', false)).status).toBe(410);
    expect(await seesIt('ben')).toBe(true);
    expect(await seesIt('dan')).toBe(false);
  });

  it('does not hide that the slug is taken', async () => {
    await createPrivate('ben');
    expect((await create('dan', ops)).status).toBe(409);
    await create('dan', `${ops}-x`);
    expect((await rename('dan', `${ops}-x`, ops)).status).toBe(409);
  });
});

describe('a private channel', () => {
  it('is joined by whom an admin or a manager adds, and by nobody else', async () => {
    const id = await createPrivate('ben');
    expect((await add('dan', ops, 'dan')).status).toBe(404);
    expect((await add('ben', ops, 'cy')).status).toBe(204);
    expect((await add('cy', ops, 'dan')).status).toBe(403);
    expect((await add('ada', ops, 'dan')).status).toBe(204);
    expect(await posted('dan', id)).toEqual([]);
    expect(await posted('ada', id)).toBe(403);
    expect((await add('ada', ops, 'ada')).status).toBe(204);
    expect(await posted('ada', id)).toEqual([]);
  });

  it('fills pages of the list as if the hidden ones were not there', async () => {
    for (const suffix of ['a', 'b', 'c', 'd'])
      await send('ben', 'POST', '/channels', { slug: `${ops}-${suffix}`, private: suffix !== 'd' });
    const page = async (by: string) => {
      const { body } = await send(by, 'GET', `/channels?after=${ops}&limit=1`);
      return body.channels[0].slug;
    };
    expect([await page('dan'), await page('ben'), await page('ada')]).toEqual([
      `${ops}-d`,
      `${ops}-a`,
      `${ops}-a`,
    ]);
  });

  it('takes the held posts of a removed agent out of its sight', async () => {
    const id = await createPrivate('ben', 'bot-1', 'bot-2');
    for (const name of ['bot-1', 'bot-2'])
      await team.as(name).call('takeRun', { body: { runId: randomUUID(), host: 'mill', agent: 'sh' } });
    const thread = `chan:${id}`;
    let cause = (await post('ben', id, 'begin')).body.message.id;
    let held = false;
    let sender = 'bot-1';
    for (let count = 0; count < 50 && !held; count++) {
      sender = sender === 'bot-1' ? 'bot-2' : 'bot-1';
      const request = { body: `turn ${count}`, data: { thread }, causes: [cause] };
      const { body } = await send(sender, 'POST', '/push', request);
      cause = body.message.id;
      held = body.held !== undefined;
    }
    const seen = async (by: string) =>
      (await send(by, 'GET', '/held')).body.held.filter(({ scope }: { scope: string }) => scope === thread)
        .length;
    expect(await seen(sender)).toBe(1);
    await leave('ben', ops, sender);
    expect([await seen(sender), await seen('ada')]).toEqual([0, 1]);
  });

  it('does not exist either for a repeated post of a removed member', async () => {
    const id = await createPrivate('ben', 'cy');
    const repeat = async (thread: string) => {
      const body = JSON.stringify({ body: 'x', data: { thread } });
      const headers = { 'content-type': 'application/json', 'idempotency-key': `${ops}-${thread}` };
      return (await team.fetch('cy', '/push', { method: 'POST', headers, body })).status;
    };
    expect([await repeat(`chan:${id}`), await repeat(`chan:${id}`)]).toEqual([200, 200]);
    await leave('ben', ops, 'cy');
    expect(await repeat(`chan:${id}`)).toBe(404);
  });

  it('is unknown to a former member, with everything that it wrote and shared there', async () => {
    const id = await createPrivate('ben', 'cy', 'dan');
    await team.fetch('cy', '/fs/write?path=/cy/plan.txt', { method: 'POST', body: 'x' });
    const data = { thread: `chan:${id}` };
    const { body } = await send('cy', 'POST', '/push', { body: 'x', data, attachments: ['/cy/plan.txt'] });
    const own = body.message.id;
    const readers = async () =>
      (await send('cy', 'GET', '/fs/grants?path=/cy/plan.txt')).body.grants.map(
        ({ member }: { member: string }) => member,
      );
    expect(await readers()).toEqual(['ben', 'dan']);
    expect((await send('cy', 'GET', `/messages/${own}/receipts`)).status).toBe(200);
    await leave('ben', ops, 'cy');
    expect(await readers()).toEqual([]);
    expect((await send('dan', 'GET', '/fs/stat?path=/cy/plan.txt')).status).toBe(200);
    expect((await send('cy', 'GET', `/messages/${own}/receipts`)).status).toBe(403);
    expect((await send('cy', 'PATCH', `/messages/${own}`, { body: 'y' })).status).toBe(404);
    expect(await posted('cy', id)).toBe(404);
    expect(await seesIt('cy')).toBe(false);
  });

  it('becomes visible with its whole history when it is made public', async () => {
    const id = await createPrivate('ben');
    await post('ben', id, 'before');
    await setPrivate('ben', false);
    expect(await posted('dan', id)).toBe(403);
    await add('dan', ops, 'dan');
    expect(await posted('dan', id)).toEqual(['before']);
  });

  it('keeps its members when it becomes private', async () => {
    const { id } = (await create('ben', ops)).body;
    await add('cy', ops, 'cy');
    await setPrivate('ben', true);
    await post('cy', id, 'inside');
    expect(await posted('cy', id)).toEqual(['inside']);
    expect(await posted('dan', id)).toBe(404);
  });
});

describe('news', () => {
  const frames = (stream: TestStream, event: string) =>
    stream.frames.filter((frame) => frame.event === event).map(({ data }) => JSON.parse(data));
  const changes = (stream: TestStream, id: string) =>
    frames(stream, 'change').filter((change) => change.resource === 'channel' && change.id === id).length;

  const teamChanges = (stream: TestStream) =>
    frames(stream, 'change').filter(({ resource }) => resource === 'team').length;

  async function listen(...names: string[]) {
    const streams = new Map<string, TestStream>();
    for (const name of names) {
      const url = `${team.url}/subscribe?name=${name}&events=all`;
      streams.set(name, await openTestStream(url, team.token(name)));
    }
    return streams;
  }

  /** Returns who hears that the channel changed. News comes in order, and everybody hears of the team at the end. */
  async function told(streams: Map<string, TestStream>, id: string, act: () => Promise<unknown>) {
    const before = [...streams].map(([name, stream]) => ({
      name,
      stream,
      count: changes(stream, id),
      ofTeam: teamChanges(stream),
    }));
    await act();
    await team.as('ada').call('updateTeam', { body: { directive: 'look' } });
    for (const { stream, ofTeam } of before) await stream.until(() => teamChanges(stream) > ofTeam);
    return before.filter(({ stream, count }) => changes(stream, id) > count).map(({ name }) => name);
  }

  it('goes to members, managers, and whom it is about; to everyone when the channel is hidden or shown', async () => {
    const id = await createPrivate('ben');
    const streams = await listen('ada', 'ben', 'cy', 'dan');
    const tells = (act: () => Promise<unknown>) => told(streams, id, act);
    try {
      expect(await tells(() => add('ben', ops, 'cy'))).toEqual(['ada', 'ben', 'cy']);
      expect(await tells(() => rename('ben', ops, `${ops}-x`))).toEqual(['ada', 'ben', 'cy']);
      expect(await tells(() => rename('ben', `${ops}-x`, ops))).toEqual(['ada', 'ben', 'cy']);
      expect(await tells(() => leave('ben', ops, 'cy'))).toEqual(['ada', 'ben', 'cy']);
      expect(await tells(() => add('ben', ops, 'ben', 'admin'))).toEqual([]);
      expect(await tells(() => setPrivate('ben', false))).toEqual(['ada', 'ben', 'cy', 'dan']);
      expect(await tells(() => setPrivate('ben', true))).toEqual(['ada', 'ben', 'cy', 'dan']);
      expect(await tells(() => archive('ben', ops))).toEqual(['ada', 'ben']);
    } finally {
      for (const stream of streams.values()) stream.close();
    }
  });

  it('tells a removed sender nothing more of its messages', async () => {
    const id = await createPrivate('ben', 'cy', 'dan');
    const begun = await team.stream('dan');
    const cursor = begun.cursor();
    begun.close();
    const { body } = await post('cy', id, 'x');
    const messageId = body.message.id;
    const streams = await listen('ben', 'cy');
    const read = (by: string) => send(by, 'POST', '/messages/read', { scope: `chan:${id}`, upTo: messageId });
    const heard = (name: string) =>
      [...frames(streams.get(name)!, 'receipt'), ...frames(streams.get(name)!, 'receipts')].filter(
        (frame) => frame.messageId === messageId,
      );
    try {
      await told(streams, id, () => read('ben'));
      expect(heard('cy')).toEqual([expect.objectContaining({ member: 'ben', state: 'read' })]);
      await leave('ben', ops, 'cy');
      // The stream carries the message, and then a later one of which a present sender hears.
      const missed = await team.stream('dan', cursor);
      const { body: later } = await post('ben', id, 'y');
      await told(streams, id, () => read('dan'));
      await streams
        .get('ben')!
        .until(() =>
          frames(streams.get('ben')!, 'receipts').some((one) => one.messageId === later.message.id),
        );
      missed.close();
      expect(heard('cy')).toHaveLength(1);
    } finally {
      for (const stream of streams.values()) stream.close();
    }
  });
});

describe('the audit log', () => {
  it('has who changed the flag or the slug, before and after', async () => {
    await createPrivate('ben');
    await setPrivate('ben', true);
    await setPrivate('ada', false);
    await send('ben', 'PATCH', `/channels/${ops}`, { slug: `${ops}-x`, private: true });
    const { records } = await team
      .as('ada')
      .call('audit', { query: { kind: 'channel_changed', limit: '2' } });
    expect(records).toMatchObject([
      {
        member: 'ben',
        subject: ops,
        before: { slug: ops, private: false },
        after: { slug: `${ops}-x`, private: true },
      },
      { member: 'ada', subject: ops, before: { private: true }, after: { private: false } },
    ]);
  });

  it('has who archived a channel', async () => {
    await createPrivate('ben');
    await archive('ben', ops);
    await archive('ada', ops);
    const { records } = await team
      .as('ada')
      .call('audit', { query: { kind: 'channel_changed', limit: '2' } });
    expect(records[0]).toMatchObject({ member: 'ben', subject: ops, before: { archivedAt: null } });
    expect(records[0]?.after?.archivedAt).toBeTypeOf('number');
    expect(records[1]?.subject).not.toBe(ops);
  });

  it('has which members a manager brought into a channel or took out of it, and not what its admins do', async () => {
    await createPrivate('ben');
    await add('ben', ops, 'cy');
    await add('ada', ops, 'ada');
    await leave('ada', ops, 'cy');
    await leave('ada', ops, 'ada');
    const { records } = await team
      .as('ada')
      .call('audit', { query: { kind: 'channel_members_changed', limit: '500' } });
    expect(records.filter(({ subject }) => subject === ops)).toMatchObject([
      { member: 'ada', before: { member: 'cy', role: 'member' }, after: { member: 'cy', role: null } },
      { member: 'ada', before: { member: 'ada', role: null }, after: { member: 'ada', role: 'member' } },
    ]);
  });

  it('is not filled by a member: 30 changes within an hour', async () => {
    await createPrivate('eli');
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) statuses.push((await setPrivate('eli', n % 2 === 0)).status);
    expect(statuses).toEqual([...Array(30).fill(200), 429]);
  });
});
