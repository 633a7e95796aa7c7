import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemberName } from '#protocol/ids.ts';
import type { NewObjective, ObjectiveEvent, ObjectiveEventBody } from '#protocol/objective.ts';
import { type ObjectiveTeam, startObjectiveTeam } from './testing/objective-team.ts';

let team: ObjectiveTeam;
beforeAll(async () => {
  team = await startObjectiveTeam();
});
afterAll(() => team.stop());

const view = (id: string, by = 'dee') => team.as(by).call('objective', { params: { id } });
const bodies = (events: readonly ObjectiveEvent[]) => events.map(({ kind, payload }) => ({ kind, payload }));
const lastEvent = async (id: string): Promise<unknown> => bodies((await view(id)).events).at(-1);
const statusOf = async (reply: Promise<Response>) => {
  const answered = await reply;
  await answered.body?.cancel();
  return answered.status;
};
const refusal = async (reply: Promise<Response>) => {
  const answered = await reply;
  return { status: answered.status, ...((await answered.json()) as { error: string; message: string }) };
};

describe('POST /objectives', () => {
  it('stores and returns every field of the request', async () => {
    // Required, so that a new field of the request cannot be missing here. Attachments have tests of their own.
    const every: Required<Omit<NewObjective, 'attachments'>> = {
      title: 'Paint',
      outcome: 'It is green',
      body: 'Two coats',
      assignee: MemberName.parse('ben'),
      watchers: [MemberName.parse('cy')],
    };
    const created = await team.as('ora').call('createObjective', { body: every });
    expect(created).toMatchObject(every);
    expect((await view(created.id)).objective).toMatchObject(every);
  });

  it('answers 201 with the Objective, active, with the caller as originator', async () => {
    const reply = await team.send('ora', 'POST', '/objectives', {
      title: '  Paint  ',
      outcome: 'It is green',
      assignee: 'ben',
      watchers: ['cy', 'cy'],
      originator: 'ada',
      status: 'done',
    });
    expect(reply.status).toBe(201);
    const objective = (await reply.json()) as { id: string; createdAt: number };
    expect(objective).toEqual({
      id: expect.stringMatching(/^obj_[0-9a-hjkmnp-tv-z]{10}$/),
      title: 'Paint',
      outcome: 'It is green',
      body: '',
      status: 'active',
      assignee: 'ben',
      originator: 'ora',
      watchers: ['cy'],
      blockReason: null,
      result: null,
      attachments: [],
      createdAt: expect.any(Number),
      updatedAt: objective.createdAt,
      completedAt: null,
    });
    expect(await view(objective.id)).toEqual({
      objective,
      events: [
        {
          objectiveId: objective.id,
          seq: 1,
          ts: objective.createdAt,
          actor: 'ora',
          kind: 'assigned',
          payload: { assignee: 'ben', title: 'Paint', outcome: 'It is green', watchers: ['cy'] },
        },
      ],
    });
  });

  it('needs objectives.create', async () => {
    expect(
      await refusal(team.send('ben', 'POST', '/objectives', { title: 'x', outcome: 'y', assignee: 'ben' })),
    ).toMatchObject({ status: 403, error: 'forbidden' });
  });

  it.each([
    ['an unknown assignee', { assignee: 'zed' }, 'zed'],
    ['an assignee in other letters', { assignee: 'BEN' }, 'BEN'],
    ['an unknown watcher', { watchers: ['cy', 'zed'] }, 'zed'],
    ['no title', { title: '   ' }, 'title'],
    ['no outcome', { outcome: undefined }, 'outcome'],
    ['a title of 201 characters', { title: '🦊'.repeat(201) }, 'title'],
    ['an outcome of 2049 characters', { outcome: 'x'.repeat(2049) }, 'outcome'],
    ['a body of 4097 characters', { body: 'x'.repeat(4097) }, 'body'],
  ])('refuses %s with 400 and the name, and creates nothing', async (_, part, named) => {
    const before = (await team.as('ada').call('objectives', { query: {} })).objectives.length;
    const body = { title: 'x', outcome: 'y', assignee: 'ben', ...part };
    const refused = await refusal(team.send('ora', 'POST', '/objectives', body));
    expect(refused).toMatchObject({ status: 400, error: 'bad_request' });
    expect(refused.message).toContain(named);
    expect((await team.as('ada').call('objectives', { query: {} })).objectives).toHaveLength(before);
  });

  it('accepts what is just within the limits, counted in code points', async () => {
    const part = { title: '🦊'.repeat(200), outcome: 'x'.repeat(2048), body: '🦊'.repeat(4096) };
    expect(await team.create(part)).toMatchObject(part);
  });

  it('answers a repeat with the same Idempotency-Key with the first answer and creates nothing again', async () => {
    const body = { title: 'Once', outcome: 'y', assignee: 'ben' };
    const key = { 'idempotency-key': 'k-create' };
    const send = (by = 'ora', sent: object = body) => team.send(by, 'POST', '/objectives', sent, key);
    const [first, twin] = await Promise.all([send(), send()]);
    const objective = (await first.json()) as { id: string };
    expect(twin.status).toBe(201);
    expect(await twin.json()).toEqual(objective);
    expect(await (await send()).json()).toEqual(objective);
    expect(await statusOf(send('ora', { ...body, title: 'Other' }))).toBe(409);
    expect(((await (await send('ada')).json()) as { id: string }).id).not.toBe(objective.id);
    expect((await view(objective.id)).events).toHaveLength(1);
  });
});

describe('GET /objectives/:id', () => {
  it('is for every member; an unknown id is 404, and a malformed one is 400', async () => {
    const { id } = await team.create();
    expect((await view(id, 'dee')).objective.id).toBe(id);
    expect(await statusOf(team.fetch('dee', '/objectives/obj_zzzzzzzzzz'))).toBe(404);
    expect(await statusOf(team.fetch('dee', '/objectives/nonsense'))).toBe(400);
  });
});

describe('PATCH /objectives/:id', () => {
  const patch = (by: string, id: string, body: unknown) => team.send(by, 'PATCH', `/objectives/${id}`, body);

  it('blocks with a reason and unblocks again, by assignee or manager; both are in the audit log', async () => {
    const { id } = await team.create();
    const blocked = await team.as('ben').call('updateObjective', {
      params: { id },
      body: { status: 'blocked', blockReason: ' no paint ' },
    });
    expect(blocked).toMatchObject({ status: 'blocked', blockReason: 'no paint' });
    const active = await team
      .as('ada')
      .call('updateObjective', { params: { id }, body: { status: 'active' } });
    expect(active).toMatchObject({ status: 'active', blockReason: null });
    const { events } = await view(id);
    expect(bodies(events).slice(1)).toEqual([
      { kind: 'blocked', payload: { reason: 'no paint' } },
      { kind: 'unblocked', payload: {} },
    ]);
    expect(events.map(({ seq, actor }) => [seq, actor])).toEqual([
      [1, 'ora'],
      [2, 'ben'],
      [3, 'ada'],
    ]);
  });

  it('updates the reason of a blocked one with blockReason alone', async () => {
    const { id } = await team.create();
    await patch('ben', id, { status: 'blocked', blockReason: 'a' });
    expect(await (await patch('ben', id, { blockReason: 'b' })).json()).toMatchObject({ blockReason: 'b' });
    expect(await lastEvent(id)).toEqual({ kind: 'blocked', payload: { reason: 'b' } });
  });

  it('answers 200 without an event for the present status', async () => {
    const { id, updatedAt } = await team.create();
    expect(await (await patch('ben', id, { status: 'active' })).json()).toMatchObject({
      status: 'active',
      updatedAt,
    });
    await patch('ben', id, { status: 'blocked', blockReason: 'a' });
    expect(await statusOf(patch('ben', id, { status: 'blocked', blockReason: 'a' }))).toBe(200);
    expect((await view(id)).events).toHaveLength(2);
  });

  it.each([
    ['{}', {}],
    ['blocked without a reason', { status: 'blocked' }],
    ['blocked with an empty reason', { status: 'blocked', blockReason: '  ' }],
    ['active with a reason', { status: 'active', blockReason: 'x' }],
    ['a reason alone on one that is active', { blockReason: 'x' }],
    ['done', { status: 'done' }],
    ['a reason of 2049 characters', { status: 'blocked', blockReason: 'x'.repeat(2049) }],
  ])('of %s is 400', async (_, body) => {
    const { id } = await team.create();
    expect(await statusOf(patch('ben', id, body))).toBe(400);
    expect((await view(id)).events).toHaveLength(1);
  });

  it('is not for the originator, a watcher, or anybody else', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    for (const name of ['ora', 'cy', 'dee'])
      expect(await statusOf(patch(name, id, { status: 'blocked', blockReason: 'x' }))).toBe(403);
    expect(await statusOf(patch('dee', 'obj_zzzzzzzzzz', { status: 'active' }))).toBe(404);
  });
});

describe('POST /objectives/:id/complete', () => {
  const complete = (by: string, id: string, body: unknown = { result: 'shipped' }) =>
    team.send(by, 'POST', `/objectives/${id}/complete`, body);

  it('makes it done with its result, which is in the audit log', async () => {
    const { id } = await team.create();
    await team.send('ben', 'PATCH', `/objectives/${id}`, { status: 'blocked', blockReason: 'x' });
    const done = (await (await complete('ben', id)).json()) as { completedAt: number; updatedAt: number };
    expect(done).toMatchObject({ status: 'done', result: 'shipped', blockReason: null });
    expect(done.completedAt).toBe(done.updatedAt);
    expect(await lastEvent(id)).toEqual({ kind: 'completed', payload: { result: 'shipped' } });
  });

  it('is for the assignee only, not even for a manager', async () => {
    const { id } = await team.create();
    for (const name of ['ada', 'ora', 'dee']) expect(await statusOf(complete(name, id))).toBe(403);
  });

  it('needs a result of 1 to 4096 characters', async () => {
    const { id } = await team.create();
    for (const body of [{}, { result: ' ' }, { result: 'x'.repeat(4097) }])
      expect(await statusOf(complete('ben', id, body))).toBe(400);
    expect(await statusOf(complete('ben', id, { result: 'x'.repeat(4096) }))).toBe(200);
  });
});

describe('POST /objectives/:id/cancel', () => {
  const cancel = (by: string, id: string, body: unknown = {}) =>
    team.send(by, 'POST', `/objectives/${id}/cancel`, body);

  it('is for the originator and holders of objectives.cancel; the reason is optional', async () => {
    const mine = await team.create();
    expect(await (await cancel('ora', mine.id)).json()).toMatchObject({
      status: 'cancelled',
      completedAt: null,
    });
    expect(await lastEvent(mine.id)).toEqual({ kind: 'cancelled', payload: { reason: null } });
    const other = await team.create();
    await team.send('ben', 'PATCH', `/objectives/${other.id}`, { status: 'blocked', blockReason: 'x' });
    expect(await (await cancel('ada', other.id, { reason: ' no use ' })).json()).toMatchObject({
      status: 'cancelled',
      blockReason: 'x',
    });
    expect(await lastEvent(other.id)).toEqual({ kind: 'cancelled', payload: { reason: 'no use' } });
  });

  it('is not for the assignee or a watcher', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    for (const name of ['ben', 'cy', 'dee']) expect(await statusOf(cancel(name, id))).toBe(403);
  });
});

describe('POST /objectives/:id/reassign', () => {
  const reassign = (by: string, id: string, body: unknown) =>
    team.send(by, 'POST', `/objectives/${id}/reassign`, body);

  it('replaces the assignee, keeps status and reason, and removes the new one from the watchers', async () => {
    const { id } = await team.create({ watchers: ['cy', 'dee'] });
    await team.send('ben', 'PATCH', `/objectives/${id}`, { status: 'blocked', blockReason: 'x' });
    expect(await (await reassign('ada', id, { to: 'cy', note: ' you know how ' })).json()).toMatchObject({
      assignee: 'cy',
      status: 'blocked',
      blockReason: 'x',
      watchers: ['dee'],
    });
    expect(bodies((await view(id)).events).slice(2)).toEqual([
      { kind: 'reassigned', payload: { from: 'ben', to: 'cy', note: 'you know how' } },
      { kind: 'watcher_removed', payload: { name: 'cy' } },
    ]);
    expect(await statusOf(team.send('ben', 'POST', `/objectives/${id}/complete`, { result: 'x' }))).toBe(403);
    expect(await statusOf(team.send('cy', 'POST', `/objectives/${id}/complete`, { result: 'x' }))).toBe(200);
  });

  it('answers 400 for the same member, and 400 with the name for an unknown one', async () => {
    const { id } = await team.create();
    expect(await statusOf(reassign('ada', id, { to: 'ben' }))).toBe(400);
    expect((await refusal(reassign('ada', id, { to: 'zed' }))).message).toContain('zed');
  });

  it('needs members.manage: objectives.reassign gates nothing', async () => {
    const other = await startObjectiveTeam({
      members: { ada: ['admin'], ora: ['objectives.create', 'objectives.reassign'], ben: [], cy: [] },
    });
    try {
      const { id } = await other.create();
      for (const name of ['ora', 'ben']) {
        const reply = await other.send(name, 'POST', `/objectives/${id}/reassign`, { to: 'cy' });
        expect(reply.status).toBe(403);
        await reply.body?.cancel();
      }
    } finally {
      await other.stop();
    }
  });
});

describe('PATCH /objectives/:id/watchers', () => {
  const watch = (by: string, id: string, body: unknown) =>
    team.send(by, 'PATCH', `/objectives/${id}/watchers`, body);

  it('adds and removes, in the order of addition, with an audit event for each', async () => {
    const { id } = await team.create({ watchers: ['dee'] });
    expect(await (await watch('ora', id, { add: ['cy', 'ada'] })).json()).toMatchObject({
      watchers: ['dee', 'cy', 'ada'],
    });
    expect(await (await watch('ada', id, { add: ['ora'], remove: ['cy'] })).json()).toMatchObject({
      watchers: ['dee', 'ada', 'ora'],
    });
    expect(bodies((await view(id)).events).slice(1)).toEqual([
      { kind: 'watcher_added', payload: { name: 'cy' } },
      { kind: 'watcher_added', payload: { name: 'ada' } },
      { kind: 'watcher_added', payload: { name: 'ora' } },
      { kind: 'watcher_removed', payload: { name: 'cy' } },
    ] satisfies ObjectiveEventBody[]);
    expect((await view(id)).objective.watchers).toEqual(['dee', 'ada', 'ora']);
  });

  it('needs add or remove, at most 64 names together; unknown names are 400 and named', async () => {
    const { id } = await team.create();
    expect(await statusOf(watch('ora', id, {}))).toBe(400);
    const [add, remove] = ['a', 'b'].map((letter) => Array.from({ length: 33 }, (_, n) => `${letter}${n}`));
    expect((await refusal(watch('ora', id, { add, remove }))).message).toContain('64');
    expect((await refusal(watch('ora', id, { add, remove: remove?.slice(2) }))).message).toContain('a0');
    expect((await refusal(watch('ora', id, { add: ['zed'] }))).message).toContain('zed');
    expect((await refusal(watch('ora', id, { remove: ['zed'] }))).message).toContain('zed');
  });

  it('is for the originator and holders of objectives.watch', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    for (const name of ['ben', 'cy', 'dee'])
      expect(await statusOf(watch(name, id, { remove: ['cy'] }))).toBe(403);
    expect(await statusOf(watch('ada', id, { remove: ['cy'] }))).toBe(200);
  });
});

describe('a terminal objective', () => {
  it.each([
    ['done', 'complete', 'ben', { result: 'x' }, 410],
    ['cancelled', 'cancel', 'ora', {}, 409],
  ])('that is %s accepts no move', async (_, end, by, body, onCancel) => {
    const { id } = await team.create();
    expect(await statusOf(team.send(by, 'POST', `/objectives/${id}/${end}`, body))).toBe(200);
    const before = await view(id);
    expect(await statusOf(team.send('ora', 'POST', `/objectives/${id}/cancel`, {}))).toBe(onCancel);
    expect(await statusOf(team.send('ada', 'POST', `/objectives/${id}/reassign`, { to: 'cy' }))).toBe(
      onCancel,
    );
    expect(await statusOf(team.send('ben', 'POST', `/objectives/${id}/complete`, { result: 'x' }))).toBe(409);
    expect(await statusOf(team.send('ben', 'PATCH', `/objectives/${id}`, { status: 'active' }))).toBe(409);
    expect(await statusOf(team.send('ora', 'PATCH', `/objectives/${id}/watchers`, { add: ['cy'] }))).toBe(
      409,
    );
    expect(await view(id)).toEqual(before);
  });
});

describe('GET /briefing', () => {
  it('holds what is open for the caller: active ones, then blocked ones', async () => {
    const other = await startObjectiveTeam();
    try {
      const [blocked, done, first, second] = [
        await other.create({ title: 'blocked' }),
        await other.create({ title: 'done' }),
        await other.create({ title: 'first' }),
        await other.create({ title: 'second' }),
      ];
      await other.create({ title: 'for cy', assignee: 'cy' });
      await other.send('ben', 'PATCH', `/objectives/${blocked.id}`, { status: 'blocked', blockReason: 'x' });
      await other.send('ben', 'POST', `/objectives/${done.id}/complete`, { result: 'x' });
      const { openObjectives } = await other.as('ben').call('briefing', {});
      expect(openObjectives.map(({ id }) => id)).toEqual([second.id, first.id, blocked.id]);
      expect((await other.as('ora').call('briefing', {})).openObjectives).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it('holds the newest 50, and says how many there are; the list by originator has all', async () => {
    const other = await startObjectiveTeam();
    try {
      const titles = Array.from({ length: 52 }, (_, n) => `number ${n}`);
      for (const title of titles) await other.create({ title });
      const { openObjectives, openObjectiveCount } = await other.as('ben').call('briefing', {});
      expect(openObjectives.map(({ title }) => title)).toEqual(titles.toReversed().slice(0, 50));
      expect(openObjectiveCount).toBe(52);
      const { originator = '' } = openObjectives[0] ?? {};
      const query = { originator, status: 'active', limit: '30' } as const;
      const first = (await other.as('ben').call('objectives', { query })).objectives;
      const before = first.at(-1)?.id;
      const second = (await other.as('ben').call('objectives', { query: { ...query, before } })).objectives;
      expect([...first, ...second].map(({ title }) => title)).toEqual(titles.toReversed());
      expect((await other.as('ben').call('objectives', { query: { originator: 'ben' } })).objectives).toEqual(
        [],
      );
    } finally {
      await other.stop();
    }
  });
});
