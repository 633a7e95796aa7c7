import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { channelRequests } from './testing/channel-requests.ts';

const start = () =>
  startTestBroker({
    onDisk: true,
    members: { ada: ['members.manage'], ben: [], cy: [], dan: [] },
  });

/** The broker of the tests that act on their own channels only. */
let shared: TestBroker;
/** The broker of the present test. */
let team: TestBroker;
/** A slug that no other test uses. */
let ops: string;
let testCount = 0;
beforeAll(async () => {
  shared = await start();
});
afterAll(() => shared.stop());
beforeEach(() => {
  team = shared;
  testCount += 1;
  ops = `ops-${testCount}`;
});

/** Gives the present test a broker of its own. */
async function startOwn(): Promise<void> {
  const own = await start();
  onTestFinished(() => own.stop());
  team = own;
}

const { send, create, rename, archive, add, leave, view, rolesIn, post, posted } = channelRequests(
  () => team,
);

describe('the channel general', () => {
  const general = { id: 'general', slug: 'general', createdBy: 'system', archivedAt: null };

  it('always exists and always appears with joined true and myRole member', async () => {
    await startOwn();
    const { channels } = await team.as('ben').call('channels', {});
    expect(channels).toEqual([
      { ...general, createdAt: channels[0]?.createdAt, joined: true, myRole: 'member', memberCount: 4 },
    ]);
    expect((await view('ada', 'general')).channel).toEqual(channels[0]);
  });

  it('lists every member as member, since its creation', async () => {
    await startOwn();
    const before = Date.now();
    await send('ada', 'POST', '/members', { name: 'eve', role: { title: 'New' }, permissions: [] });
    const { channel, members } = await view('ben', 'general');
    expect(members.map(({ member, role }) => `${member} ${role}`)).toEqual([
      'ada member',
      'ben member',
      'cy member',
      'dan member',
      'eve member',
    ]);
    expect(channel.memberCount).toBe(5);
    expect(members[0]?.joinedAt).toBeLessThanOrEqual(before);
    expect(members[4]?.joinedAt).toBeGreaterThanOrEqual(before);
    expect((await send('ada', 'DELETE', '/members/eve')).status).toBe(204);
    expect((await view('ben', 'general')).members).toEqual(members.slice(0, 4));
  });

  it('has existed since the store’s first start, which a restart does not change', async () => {
    await startOwn();
    const first = await view('ben', 'general');
    expect(Math.abs(first.channel.createdAt - Date.now())).toBeLessThan(60_000);
    await team.restart();
    expect(await view('ben', 'general')).toEqual(first);
  });

  it('cannot be renamed, archived, joined, or left: 409', async () => {
    const replies = await Promise.all([
      rename('ada', 'general', 'lobby'),
      archive('ada', 'general'),
      add('ada', 'general', 'ben'),
      add('ben', 'general', 'ben'),
      leave('ben', 'general'),
      leave('ada', 'general', 'ben'),
      create('ben', 'general'),
    ]);
    expect(replies.map(({ status }) => status)).toEqual(Array(7).fill(409));
    expect((await rename('ben', 'general', 'lobby')).status).toBe(403);
    expect((await leave('ben', 'general', 'cy')).status).toBe(403);
    await create('ben', ops);
    expect((await rename('ben', ops, 'general')).status).toBe(409);
  });
});

describe('POST /channels', () => {
  it('answers 201 with the Channel; the creator becomes channel admin', async () => {
    const before = Date.now();
    const { status, body } = await create('ben', 'release-42');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^ch_[0-9a-hjkmnp-tv-z]{10}$/),
      slug: 'release-42',
      createdBy: 'ben',
      createdAt: body.createdAt,
      archivedAt: null,
    });
    expect(body.createdAt).toBeGreaterThanOrEqual(before);
    expect(await view('ben', 'release-42')).toEqual({
      channel: { ...body, joined: true, myRole: 'admin', memberCount: 1 },
      members: [{ member: 'ben', role: 'admin', joinedAt: body.createdAt }],
    });
    expect((await view('cy', 'release-42')).channel).toMatchObject({ joined: false, myRole: null });
  });

  it('accepts a slug of 1 to 32 lowercase letters, digits, and single dashes inside, and answers 400 to any other', async () => {
    const slugs = async () =>
      (await team.as('ben').call('channels', {})).channels.map(({ slug }) => slug).sort();
    const before = await slugs();
    const right = ['a', '7', 'a-b-c', 'x'.repeat(32)];
    for (const slug of right) expect([slug, (await create('ben', slug)).status]).toEqual([slug, 201]);
    const wrong = ['', '-a', 'a-', 'a--b', 'A', 'ä', 'a b', 'a_b', 'a/b', 'x'.repeat(33), 'a\n', 7, null];
    for (const slug of wrong)
      expect([slug, await send('ben', 'POST', '/channels', { slug })]).toMatchObject([
        slug,
        { status: 400, body: { error: 'bad_request' } },
      ]);
    expect(await slugs()).toEqual([...before, ...right].sort());
  });

  it('assigns a slug once: 409, also for several at the same moment', async () => {
    const replies = await Promise.all([create('ben', ops), create('cy', ops), create('ada', ops)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await view('dan', ops)).members).toHaveLength(1);
  });
});

describe('GET /channels', () => {
  it('allows 1000 per member, archived ones included, because all stay listed: 409 above that; managers have no such limit', async () => {
    await startOwn();
    const make = async (name: string, from: number, to: number) => {
      const slugs = Array.from({ length: to - from }, (_, n) => `${name}-${from + n}`);
      const made = await Promise.all(slugs.map((slug) => send(name, 'POST', '/channels', { slug })));
      return [...new Set(made.map(({ status }) => status))];
    };
    for (let n = 0; n < 1000; n += 100) expect(await make('ben', n, n + 100)).toEqual([201]);
    await archive('ben', 'ben-0');
    expect(await send('ben', 'POST', '/channels', { slug: 'one-more' })).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: expect.stringContaining('1000 channels') },
    });
    expect(await make('cy', 0, 1)).toEqual([201]);
    await send('ada', 'PATCH', '/members/ben', { permissions: ['members.manage'] });
    expect(await make('ben', 1000, 1001)).toEqual([201]);
  });

  it('lists general and every channel by slug with the caller’s role in it, archived ones included', async () => {
    await startOwn();
    for (const slug of ['ops', 'alpha', 'zeta']) await create('ben', slug);
    await add('cy', 'ops', 'cy');
    await archive('ben', 'alpha');
    const { channels } = await team.as('cy').call('channels', {});
    expect(
      channels.map(({ slug, joined, myRole, memberCount }) => [slug, joined, myRole, memberCount]),
    ).toEqual([
      ['general', true, 'member', 4],
      ['alpha', false, null, 1],
      ['ops', true, 'member', 2],
      ['zeta', false, null, 1],
    ]);
    expect(channels.map(({ archivedAt }) => archivedAt !== null)).toEqual([false, true, false, false]);
  });
});

describe('GET /channels/:slug', () => {
  it('lists admins first, each group in the order of joining, and answers 404 to an unknown slug', async () => {
    await create('ben', ops);
    await add('dan', ops, 'dan');
    await add('ben', ops, 'cy', 'admin');
    await add('ada', ops, 'ada');
    expect(await rolesIn(ops)).toEqual(['ben admin', 'cy admin', 'dan member', 'ada member']);
    expect((await send('ben', 'GET', '/channels/none')).status).toBe(404);
  });
});

describe('PATCH /channels/:slug', () => {
  it('changes the slug only: id, history, and members stay, and the old slug is free', async () => {
    const renamed = `${ops}-renamed`;
    const { body: channel } = await create('ben', ops);
    await add('cy', ops, 'cy');
    await post('cy', channel.id, 'before');
    const before = await view('cy', ops);
    expect(await rename('ben', ops, renamed)).toEqual({
      status: 200,
      body: { ...channel, slug: renamed },
    });
    expect(await view('cy', renamed)).toEqual({
      ...before,
      channel: { ...before.channel, slug: renamed },
    });
    expect((await send('cy', 'GET', `/channels/${ops}`)).status).toBe(404);
    expect(await posted('cy', channel.id)).toEqual(['before']);
    expect((await create('dan', ops)).status).toBe(201);
  });

  it('is for channel admins and managers, also from outside the channel', async () => {
    const [x, y] = [`${ops}-x`, `${ops}-y`];
    await create('ben', ops);
    await add('cy', ops, 'cy');
    expect((await rename('cy', ops, x)).status).toBe(403);
    expect((await rename('dan', ops, x)).status).toBe(403);
    expect((await rename('ada', ops, x)).status).toBe(200);
    expect((await rename('ben', x, y)).status).toBe(200);
  });

  it('answers 404, then 403, then 409 or 410', async () => {
    const [taken, x] = [`${ops}-taken`, `${ops}-x`];
    await create('ben', ops);
    await create('ben', taken);
    expect((await rename('cy', 'none', x)).status).toBe(404);
    expect((await rename('cy', ops, taken)).status).toBe(403);
    expect((await rename('ben', ops, taken)).status).toBe(409);
    expect((await rename('ben', ops, 'Not A Slug')).status).toBe(400);
    await archive('ben', ops);
    expect((await rename('cy', ops, x)).status).toBe(403);
    expect((await rename('ben', ops, x)).status).toBe(410);
  });

  it('changes nothing if the slug is the present one', async () => {
    const { body } = await create('ben', ops);
    expect(await rename('ben', ops, ops)).toEqual({ status: 200, body });
  });
});

describe('DELETE /channels/:slug', () => {
  it('archives: history stays readable, posts answer 410, and the slug stays taken', async () => {
    await startOwn();
    const { body: channel } = await create('ben', ops);
    await add('cy', ops, 'cy');
    await post('ben', channel.id, 'kept');
    expect((await archive('cy', ops)).status).toBe(403);
    expect(await archive('ben', ops)).toEqual({ status: 204, body: null });
    expect(await posted('cy', channel.id)).toEqual(['kept']);
    expect(await post('cy', channel.id, 'late')).toMatchObject({ status: 410, body: { error: 'gone' } });
    expect((await create('dan', ops)).status).toBe(409);
    const { archivedAt } = (await view('cy', ops)).channel;
    expect(Math.abs((archivedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    await team.restart();
    expect((await view('cy', ops)).channel.archivedAt).toBe(archivedAt);
    expect((await archive('ben', ops)).status).toBe(204);
    expect((await view('cy', ops)).channel.archivedAt).toBe(archivedAt);
  });

  it('is allowed for a manager who is not in the channel; afterwards joining is 410 and leaving works', async () => {
    await create('ben', ops);
    await add('cy', ops, 'cy');
    expect((await archive('dan', 'none')).status).toBe(404);
    expect((await archive('ada', ops)).status).toBe(204);
    expect((await add('dan', ops, 'dan')).status).toBe(410);
    expect((await add('ben', ops, 'dan')).status).toBe(410);
    expect((await add('ben', ops, 'cy', 'admin')).status).toBe(410);
    expect((await leave('cy', ops)).status).toBe(204);
    expect((await leave('ben', ops)).status).toBe(204);
    expect((await view('dan', ops)).channel.memberCount).toBe(0);
  });
});

describe('POST /channels/:slug/members', () => {
  it('always gives member for joining oneself; asking for admin without being one is 403', async () => {
    await create('ben', ops);
    expect((await add('cy', ops, 'cy', 'admin')).status).toBe(403);
    expect(await rolesIn(ops)).toEqual(['ben admin']);
    expect(await add('cy', ops, 'cy')).toEqual({ status: 204, body: null });
    expect((await add('cy', ops, 'cy', 'admin')).status).toBe(403);
    expect((await add('dan', ops, 'dan', 'member')).status).toBe(204);
    expect(await rolesIn(ops)).toEqual(['ben admin', 'cy member', 'dan member']);
  });

  it('adds others for channel admins and managers only', async () => {
    await create('ben', ops);
    await add('cy', ops, 'cy');
    expect((await add('cy', ops, 'dan')).status).toBe(403);
    expect((await add('dan', ops, 'cy')).status).toBe(403);
    expect((await add('ben', ops, 'dan')).status).toBe(204);
    expect((await add('ada', ops, 'ada', 'admin')).status).toBe(204);
    expect(await rolesIn(ops)).toEqual(['ben admin', 'ada admin', 'cy member', 'dan member']);
  });

  it('changes the role of a member who is in the channel; without a role, it changes nothing', async () => {
    await create('ben', ops);
    await add('ben', ops, 'cy', 'admin');
    const before = await view('ben', ops);
    expect((await add('ben', ops, 'cy')).status).toBe(204);
    expect((await add('cy', ops, 'cy', null)).status).toBe(204);
    expect(await view('ben', ops)).toEqual(before);
    expect((await add('ada', ops, 'ben', 'member')).status).toBe(204);
    expect(await rolesIn(ops)).toEqual(['cy admin', 'ben member']);
    expect((await add('ben', ops, 'ben', 'admin')).status).toBe(403);
    expect((await add('ben', ops, 'cy', 'member')).status).toBe(403);
  });

  it('does not take the role from the only admin: 409', async () => {
    await create('ben', ops);
    await add('cy', ops, 'cy');
    expect((await add('ben', ops, 'ben', 'member')).status).toBe(409);
    expect((await add('ada', ops, 'ben', 'member')).status).toBe(409);
    await add('ben', ops, 'cy', 'admin');
    expect((await add('ben', ops, 'ben', 'member')).status).toBe(204);
  });

  it('answers 404 to an unknown channel and to an unknown member', async () => {
    await create('ben', ops);
    expect((await add('cy', 'none', 'cy')).status).toBe(404);
    expect((await add('ben', ops, 'nobody')).status).toBe(404);
    expect((await add('ben', ops, 'CY')).status).toBe(404);
    expect((await add('cy', ops, 'nobody')).status).toBe(403);
    expect((await add('ben', ops, 'cy', 'owner')).status).toBe(400);
  });
});

describe('DELETE /channels/:slug/members/:name', () => {
  it('always allows leaving; removing others is for channel admins and managers', async () => {
    await create('ben', ops);
    for (const name of ['cy', 'dan', 'ada']) await add(name, ops, name);
    expect((await leave('cy', ops, 'dan')).status).toBe(403);
    expect(await leave('cy', ops)).toEqual({ status: 204, body: null });
    expect((await leave('ben', ops, 'dan')).status).toBe(204);
    expect((await leave('ada', ops)).status).toBe(204);
    expect((await leave('ada', ops, 'ben')).status).toBe(204);
    expect(await rolesIn(ops)).toEqual([]);
  });

  it('answers 404 for a member who is not in it, and for an unknown channel', async () => {
    await create('ben', ops);
    expect((await leave('cy', ops)).status).toBe(404);
    expect((await leave('ben', ops, 'cy')).status).toBe(404);
    expect((await leave('ben', ops, 'nobody')).status).toBe(404);
    expect((await leave('ben', 'none')).status).toBe(404);
    expect((await leave('cy', ops, 'dan')).status).toBe(403);
  });

  it('makes the member who joined first admin when the last admin leaves', async () => {
    await create('ben', ops);
    for (const name of ['dan', 'cy', 'ada']) await add(name, ops, name);
    await leave('dan', ops);
    await add('dan', ops, 'dan');
    await add('ben', ops, 'ada', 'admin');
    await leave('ben', ops);
    expect(await rolesIn(ops)).toEqual(['ada admin', 'cy member', 'dan member']);
    await leave('ada', ops);
    expect(await rolesIn(ops)).toEqual(['cy admin', 'dan member']);
    expect((await rename('cy', ops, `${ops}-renamed`)).status).toBe(200);
  });

  it('works for an archived channel, too', async () => {
    await create('ben', ops);
    await add('cy', ops, 'cy');
    await archive('ben', ops);
    await leave('ben', ops);
    expect(await rolesIn(ops)).toEqual(['cy admin']);
  });
});
