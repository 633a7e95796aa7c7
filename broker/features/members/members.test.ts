import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { leaves } from '#protocol/access.ts';
import type { MemberName } from '#protocol/ids.ts';
import {
  bindAuthenticator,
  codeAt,
  cookieOf,
  cookieStream,
  logInWith,
  withCookie,
} from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const start = () =>
  startTestBroker({
    onDisk: true,
    members: {
      ada: ['admin'],
      ben: [],
      cy: ['operator'],
      dan: ['members.manage'],
      // Each of these is for one test.
      gil: [],
      hal: ['operator'],
      ivo: [],
      jo: [],
    },
  });

/** The broker of the tests that change only members of their own. */
let shared: TestBroker;
/** The broker of the present test. */
let team: TestBroker;
beforeAll(async () => {
  shared = await start();
});
afterAll(() => shared.stop());
beforeEach(() => {
  team = shared;
});

/** Gives the present test a broker of its own. */
async function startOwn(): Promise<void> {
  const own = await start();
  onTestFinished(() => own.stop());
  team = own;
}

const send = async (by: string, method: string, path: string, body?: unknown) => {
  const reply = await team.fetch(by, path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? null : JSON.parse(text) };
};
const role = { title: 'Tester', description: '' };
const create = (name: string, permissions: string[] = [], by = 'ada') =>
  send(by, 'POST', '/members', { name, role, permissions });
const asBearer = (token: string, path: string) =>
  fetch(team.url + path, { headers: { authorization: `Bearer ${token}` } });

describe('GET /members', () => {
  it('shows private instructions to managers, and the public projection to others', async () => {
    const { members } = await team.as('ada').call('members', {});
    expect(members.find(({ name }) => name === 'cy')).toEqual({
      name: 'cy',
      role: { title: 'cy', description: '' },
      permissions: ['objectives.create', 'objectives.cancel', 'objectives.reassign', 'objectives.watch'],
      instructions: 'private to cy',
      rawPermissions: ['operator'],
      totpEnrolled: false,
    });
    for (const name of ['ben', 'cy']) {
      const reply = await team.as(name).call('members', {});
      for (const member of reply.members) {
        expect(Object.keys(member).sort()).toEqual(['name', 'permissions', 'role']);
      }
    }
  });
});

describe('POST /members', () => {
  it('answers 201 with the Teammate and the token, which works at once and after a restart', async () => {
    await startOwn();
    const { status, body } = await send('ada', 'POST', '/members', {
      name: 'Eve.2',
      role: { title: 'Tester', description: 'breaks things' },
      instructions: 'mind the gap',
      permissions: ['observer', 'objectives.create'],
    });
    expect(status).toBe(201);
    expect(body.member).toEqual({
      name: 'Eve.2',
      role: { title: 'Tester', description: 'breaks things' },
      permissions: ['objectives.create', 'objectives.watch', 'activity.read'],
    });
    expect(body.token).toMatch(/^svc_[A-Za-z0-9_-]{43}$/);
    for (let round = 0; round < 2; round++) {
      const briefing = await (await asBearer(body.token, '/briefing')).json();
      expect(briefing).toMatchObject({ instructions: 'mind the gap', name: 'Eve.2' });
      const list = await (await asBearer(body.token, '/members/Eve.2/tokens')).json();
      expect(list).toMatchObject({
        tokens: [{ origin: 'create', createdBy: 'ada', memberName: 'Eve.2' }],
      });
      await team.restart();
    }
  });

  it('answers 400 and names an entry that is neither preset nor leaf, and creates nothing', async () => {
    const { status, body } = await create('fay', ['operator', 'objectives.destroy']);
    expect(status).toBe(400);
    expect(body.message).toContain('"objectives.destroy"');
    expect((await create('fay', ['__proto__'])).status).toBe(400);
    expect((await create('fay')).status).toBe(201);
  });

  it.each(['general', 'SYSTEM', 'a..b', '.a', 'a-', 'a b', '', 'x'.repeat(65), 'ä'])(
    'answers 400 to the reserved or malformed name %j',
    async (name) => {
      expect((await create(name)).status).toBe(400);
    },
  );

  it('answers 409 to a taken name, without regard to case', async () => {
    await startOwn();
    expect((await create('BEN')).status).toBe(409);
    const twins = await Promise.all([create('eve'), create('EVE'), create('Eve')]);
    expect(twins.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    await team.restart();
    expect((await create('evE')).status).toBe(409);
  });

  it('answers 409 to a retired name, without regard to case, also after a restart', async () => {
    await startOwn();
    expect((await send('ada', 'DELETE', '/members/ben')).status).toBe(204);
    expect((await create('Ben')).status).toBe(409);
    await team.restart();
    const { status, body } = await create('bEn');
    expect(status).toBe(409);
    expect(body.reason).toBe('name_retired');
  });
});

describe('PATCH /members/:name', () => {
  const patch = (name: string, body: unknown, by = 'ada') => send(by, 'PATCH', `/members/${name}`, body);

  it('accepts any subset and returns the Teammate', async () => {
    await startOwn();
    expect(await patch('ben', {})).toMatchObject({ status: 200, body: { name: 'ben', permissions: [] } });
    expect(await patch('ben', { role })).toMatchObject({ status: 200, body: { role, permissions: [] } });
    expect((await patch('ben', { instructions: 'new' })).status).toBe(200);
    expect(await patch('ben', { permissions: ['activity.read'] })).toEqual({
      status: 200,
      body: { name: 'ben', role, permissions: ['activity.read'] },
    });
    await team.restart();
    expect(await team.as('ben').call('briefing', {})).toMatchObject({
      role,
      instructions: 'new',
      rawPermissions: ['activity.read'],
    });
  });

  it('sets what wakes the agent, which managers and the member itself see, and which is absent by default', async () => {
    await startOwn();
    const wakesOf = async () => {
      const { members } = await team.as('ada').call('members', {});
      return [
        members.find(({ name }) => name === 'ben')?.wakes,
        (await team.as('ben').call('briefing', {})).wakes,
      ];
    };
    const set = (wakes: 'mentions' | 'default') =>
      team.as('ada').call('updateMember', { params: { name: 'ben' }, body: { wakes } });
    expect(await wakesOf()).toEqual([undefined, undefined]);
    await set('mentions');
    await team.restart();
    expect(await wakesOf()).toEqual(['mentions', 'mentions']);
    await set('default');
    expect(await wakesOf()).toEqual([undefined, undefined]);
  });

  it('accepts a role without a description, which then stays', async () => {
    await patch('gil', { role: { title: 'Scout', description: 'looks ahead' } });
    const kept = { title: 'Lead', description: 'looks ahead' };
    expect(await patch('gil', { role: { title: 'Lead' } })).toMatchObject({
      status: 200,
      body: { role: kept },
    });
    expect(await patch('gil', { role: { title: 'Lead', description: '' } })).toMatchObject({
      body: { role: { title: 'Lead', description: '' } },
    });
  });

  it('answers 404 for an unknown member, and 400 with the name of an unknown entry', async () => {
    expect((await patch('nobody', {})).status).toBe(404);
    expect((await patch('BEN', { role })).status).toBe(404);
    const { status, body } = await patch('ben', { permissions: ['nope'] });
    expect(status).toBe(400);
    expect(body.message).toContain('"nope"');
  });

  it('acts on the very next request of that member', async () => {
    expect((await create('kim', [], 'hal')).status).toBe(403);
    await patch('hal', { permissions: ['members.manage'] });
    expect((await create('kim', [], 'hal')).status).toBe(201);
    await patch('hal', { permissions: [] });
    expect((await create('kit', [], 'hal')).status).toBe(403);
  });

  it('must leave at least one member with members.manage, otherwise 400', async () => {
    await startOwn();
    expect((await patch('ada', { permissions: [] }, 'ada')).status).toBe(200);
    const refusal = await patch('dan', { permissions: ['operator'] }, 'dan');
    expect(refusal).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    expect((await patch('dan', { permissions: ['admin'] }, 'dan')).status).toBe(200);
  });
});

describe('DELETE /members/:name', () => {
  const remove = (name: string, by = 'ada') => send(by, 'DELETE', `/members/${name}`);

  it('answers 204, and 404 for an unknown member', async () => {
    expect(await remove('jo')).toEqual({ status: 204, body: null });
    expect((await remove('jo')).status).toBe(404);
    expect((await remove('JO')).status).toBe(404);
  });

  it('invalidates tokens and sessions and closes live streams within a second, for good', async () => {
    await startOwn();
    const secret = await bindAuthenticator(team, 'ben');
    const cookie = cookieOf(await logInWith(team, codeAt(secret, Date.now()), 'ben'));
    const [byCookie, byToken, others] = await Promise.all([
      cookieStream(team, cookie, 'ben'),
      team.stream('ben'),
      team.stream('cy'),
    ]);
    expect((await remove('ben')).status).toBe(204);
    expect((await team.openStreams()).messages).toBe(1);
    await Promise.all([byCookie.ended, byToken.ended]);
    for (let round = 0; round < 2; round++) {
      expect((await team.fetch('ben', '/roster')).status).toBe(401);
      expect((await withCookie(team, cookie, '/roster')).status).toBe(401);
      expect((await logInWith(team, codeAt(secret, Date.now() + 30_000), 'ben')).status).toBe(401);
      const { teammates, connected } = await team.as('ada').call('roster', {});
      expect([...teammates, ...connected].map(({ name }) => name)).not.toContain('ben');
      if (round === 0) await team.restart();
    }
    others.close();
  });

  it('must leave at least one member with members.manage, also when the last two are removed at once', async () => {
    await startOwn();
    const replies = await Promise.all([remove('ada', 'ada'), remove('dan', 'dan')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 400]);
    const left = replies[0].status === 204 ? 'dan' : 'ada';
    expect((await remove(left, left)).status).toBe(400);
    // The refused removal left no trace: the manager still works, and can be removed once there is another
    // one.
    expect((await create('eve', ['admin'], left)).status).toBe(201);
    expect((await remove(left, left)).status).toBe(204);
    expect((await team.fetch(left, '/roster')).status).toBe(401);
  });

  it('and PATCH at once cannot both remove the last two managers', async () => {
    await startOwn();
    const replies = await Promise.all([
      send('dan', 'PATCH', '/members/ada', { permissions: [] }),
      remove('dan', 'ada'),
      send('ada', 'PATCH', '/team', { permissionPresets: { admin: ['team.manage'], operator: [] } }),
    ]);
    expect(replies.filter(({ status }) => status === 400).length).toBeGreaterThan(0);
    const { members } = await team.broker
      .inject({
        url: '/members',
        headers: { host: 'localhost', authorization: `Bearer ${team.token('cy')}` },
      })
      .then((reply) => reply.json<{ members: { permissions: string[] }[] }>());
    expect(members.some(({ permissions }) => permissions.includes('members.manage'))).toBe(true);
  });

  it('passes nothing that is left of it to anybody: the last-seen time starts anew for the next member', async () => {
    await team.as('ivo').call('roster', {});
    await remove('ivo');
    expect((await create('ivory')).status).toBe(201);
    const { connected } = await team.as('ada').call('roster', {});
    expect(connected.find(({ name }) => name === ('ivory' as MemberName))?.lastSeen).toBeNull();
  });
});

describe('a manager', () => {
  it('holds its leaf permissions in the specification’s order', async () => {
    const { body } = await create('lee', [...leaves].reverse());
    expect(body.member.permissions).toEqual(leaves);
  });
});
