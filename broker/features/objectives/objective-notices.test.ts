import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { storeRows } from '../../testing/store-rows.ts';
import type { TestStream } from '../../testing/test-stream.ts';
import { type ObjectiveTeam, startObjectiveTeam } from './testing/objective-team.ts';

const names = ['ada', 'ora', 'ben', 'cy', 'dee'] as const;
/** The broker of the tests that look only at their own objectives, and at streams that they open. */
let shared: ObjectiveTeam;
/** The broker of the present test. */
let team: ObjectiveTeam;
beforeAll(async () => {
  shared = await startObjectiveTeam({ onDisk: true });
});
afterAll(() => shared.stop());
beforeEach(() => {
  team = shared;
});

/** Gives the present test a broker of its own. */
async function startOwn(): Promise<void> {
  const own = await startObjectiveTeam({ onDisk: true });
  onTestFinished(() => own.stop());
  team = own;
}

const marker = 'that is all';
const typeOf = ({ data }: Message) => (data.event as { type: string } | undefined)?.type;

/** Returns what each member's open stream carried up to a final broadcast. */
async function heard(streams: Map<string, TestStream>): Promise<Record<string, Message[]>> {
  await team.as('dee').call('push', { body: { body: marker } });
  for (const stream of streams.values())
    await stream.until((frames) => frames.some(({ data }) => data.includes(marker)));
  return Object.fromEntries([...streams].map(([name, stream]) => [name, stream.messages().slice(0, -1)]));
}

/** Opens a stream of each member, which closes when the test ends. */
async function openStreams(): Promise<Map<string, TestStream>> {
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const stream = await team.stream(name);
        onTestFinished(() => stream.close());
        return [name, stream] as const;
      }),
    ),
  );
}

const typesHeard = async (streams: Map<string, TestStream>) =>
  Object.fromEntries(
    Object.entries(await heard(streams)).map(([name, messages]) => [name, messages.map(typeOf)]),
  );

describe('the notice of an audit event', () => {
  it('reaches the thread’s members live, as an ordinary message of the member who acted, and nobody else', async () => {
    const streams = await openStreams();
    const objective = await team.create({ title: 'Paint\nthe door' });
    const all = await heard(streams);
    expect(all.dee).toEqual([]);
    expect(all.cy).toEqual([]);
    const [notice] = all.ben!;
    expect(notice).toEqual({
      id: expect.any(String),
      ts: expect.any(Number),
      from: 'ora',
      to: null,
      title: null,
      body: 'ora assigned “Paint the door” to ben.',
      level: 'info',
      data: {
        thread: `obj:${objective.id}`,
        event: {
          type: 'objective.assigned',
          objectiveId: objective.id,
          seq: 1,
          payload: {
            assignee: 'ben',
            title: 'Paint\nthe door',
            outcome: 'It is shipped',
            watchers: [],
          },
        },
      },
      attachments: [],
    });
    for (const name of ['ada', 'ora', 'ben']) expect(all[name]).toEqual([notice]);
  });

  it('of a reassignment reaches the old and the new assignee, the originator, watchers, and managers', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    const streams = await openStreams();
    await team.send('ada', 'POST', `/objectives/${id}/reassign`, { to: 'dee', note: 'you know how' });
    const all = await heard(streams);
    for (const name of names) expect(all[name]!.map(typeOf)).toEqual(['objective.reassigned']);
    expect(all.dee![0]).toMatchObject({
      from: 'ada',
      body: 'ada reassigned “Ship” from ben to dee: you know how',
      data: { event: { seq: 2, payload: { from: 'ben', to: 'dee', note: 'you know how' } } },
    });
  });

  it('of a completion reaches the originator, with the result', async () => {
    const { id } = await team.create();
    const streams = await openStreams();
    await team.send('ben', 'POST', `/objectives/${id}/complete`, { result: 'shipped' });
    const all = await heard(streams);
    expect(all.ora![0]).toMatchObject({
      from: 'ben',
      level: 'info',
      data: { event: { type: 'objective.completed', payload: { result: 'shipped' } } },
    });
    expect([all.cy, all.dee]).toEqual([[], []]);
  });

  it('of blocking is of level warning; each event of a change has its own, in the order of the log', async () => {
    const { id } = await team.create();
    const streams = await openStreams();
    await team.send('ben', 'PATCH', `/objectives/${id}`, { status: 'blocked', blockReason: 'no paint' });
    await team.send('ora', 'PATCH', `/objectives/${id}/watchers`, { add: ['cy', 'dee'] });
    const all = await heard(streams);
    expect(all.ora!.map(({ level }) => level)).toEqual(['warning', 'info', 'info']);
    expect(all.ora!.map(({ data }) => (data.event as { seq: number }).seq)).toEqual([2, 3, 4]);
    expect(all.cy!.map(typeOf)).toEqual(['objective.watcher_added', 'objective.watcher_added']);
    const ids = all.ora!.map((message) => message.id);
    expect([...ids].sort()).toEqual(ids);
  });

  it('of removing a watcher is the last one that this watcher gets', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    const streams = await openStreams();
    await team.send('ora', 'PATCH', `/objectives/${id}/watchers`, { remove: ['cy'] });
    await team.send('ora', 'POST', `/objectives/${id}/cancel`, { reason: 'no use' });
    expect(await typesHeard(streams)).toEqual({
      ada: ['objective.watcher_removed', 'objective.cancelled'],
      ora: ['objective.watcher_removed', 'objective.cancelled'],
      ben: ['objective.watcher_removed', 'objective.cancelled'],
      cy: ['objective.watcher_removed'],
      dee: [],
    });
  });

  it('is resumed by cursor, by exactly those for whom it was, across a restart', async () => {
    await startOwn();
    const cursors = new Map([...(await openStreams())].map(([name, stream]) => [name, stream.cursor()]));
    const { id } = await team.create();
    await team.send('ben', 'POST', `/objectives/${id}/complete`, { result: 'shipped' });
    await team.restart();
    const resumed = new Map<string, TestStream>();
    for (const [name, cursor] of cursors) resumed.set(name, await team.stream(name, cursor));
    const both = ['objective.assigned', 'objective.completed'];
    expect(await typesHeard(resumed)).toEqual({ ada: both, ora: both, ben: both, cy: [], dee: [] });
  });

  it('appears in the history of the thread, which is for its members', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    await team.as('ben').call('discussObjective', { params: { id }, body: { body: 'on it' } });
    const thread = (by: string) => team.as(by).call('history', { query: { objective: id } });
    const { messages } = await thread('cy');
    expect(messages.map(({ body }) => body)).toEqual(['on it', 'ora assigned “Ship” to ben.']);
    expect(await thread('ada')).toEqual({ messages });
    await expect(thread('dee')).rejects.toMatchObject({ code: 'forbidden' });
    await team.send('ora', 'PATCH', `/objectives/${id}/watchers`, { remove: ['cy'] });
    await expect(thread('cy')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is not written for a move that is refused or changes nothing', async () => {
    const { id } = await team.create();
    const streams = await openStreams();
    await team.send('dee', 'POST', `/objectives/${id}/complete`, { result: 'x' });
    await team.send('ada', 'POST', `/objectives/${id}/reassign`, { to: 'zed' });
    await team.send('ben', 'PATCH', `/objectives/${id}`, { status: 'active' });
    for (const messages of Object.values(await heard(streams))) expect(messages).toEqual([]);
  });

  it('reaches every stream in the order of acceptance, also when others post at the same time', async () => {
    const streams = await openStreams();
    const { id } = await team.create({ watchers: ['cy', 'dee'] });
    const flip = async () => {
      for (let n = 0; n < 20; n++) {
        await team.send('ben', 'PATCH', `/objectives/${id}`, { status: 'blocked', blockReason: `${n}` });
        await team.send('ora', 'PATCH', `/objectives/${id}/watchers`, { remove: ['cy', 'dee'] });
        await team.send('ora', 'PATCH', `/objectives/${id}/watchers`, { add: ['cy', 'dee'] });
      }
    };
    const talk = async (by: string) => {
      for (let n = 0; n < 60; n++) await team.as(by).call('push', { body: { body: `${by} ${n}` } });
    };
    await Promise.all([flip(), talk('ada'), talk('dee')]);
    const all = await heard(streams);
    for (const messages of Object.values(all)) {
      const ids = messages.map((message) => message.id);
      expect([...ids].sort()).toEqual(ids);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThan(120);
    }
    expect(all.ora!.filter((message) => typeOf(message) !== undefined)).toHaveLength(1 + 20 * 5);
  });
});

describe('POST /objectives/:id/discuss', () => {
  const discuss = (by: string, id: string, body: unknown = { body: ' hello ' }, headers = {}) =>
    team.send(by, 'POST', `/objectives/${id}/discuss`, body, headers);

  it('returns the Message and brings it to the thread’s members live, the sender included', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    const streams = await openStreams();
    const reply = await discuss('cy', id, { body: ' hello ', title: 'Hi' });
    expect(reply.status).toBe(200);
    const message = (await reply.json()) as Message;
    expect(message).toEqual({
      id: expect.any(String),
      ts: expect.any(Number),
      from: 'cy',
      to: null,
      title: 'Hi',
      body: 'hello',
      level: 'info',
      data: { thread: `obj:${id}` },
      attachments: [],
    });
    const all = await heard(streams);
    for (const name of ['ada', 'ora', 'ben', 'cy']) expect(all[name]).toEqual([message]);
    expect(all.dee).toEqual([]);
    expect((await team.as('dee').call('objective', { params: { id } })).events).toHaveLength(1);
  });

  it('is for thread members: originator, assignee, watchers, and managers', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    const statuses = [];
    for (const name of names) statuses.push((await discuss(name, id)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 403]);
    expect((await discuss('dee', 'obj_zzzzzzzzzz')).status).toBe(404);
  });

  it('stays open on a terminal objective', async () => {
    const { id } = await team.create();
    await team.send('ora', 'POST', `/objectives/${id}/cancel`, {});
    expect((await discuss('ben', id)).status).toBe(200);
  });

  it.each([
    ['no body', {}],
    ['an empty body', { body: '  ' }],
    ['a body of 16,385 characters', { body: 'x'.repeat(16_385) }],
    ['a title of 201 characters', { body: 'x', title: 'x'.repeat(201) }],
  ])('refuses %s with 400', async (_, body) => {
    const { id } = await team.create();
    expect((await discuss('ben', id, body)).status).toBe(400);
  });

  it('posts once with an Idempotency-Key; the key with another body or objective is 409', async () => {
    const { id } = await team.create();
    const other = await team.create();
    const key = { 'idempotency-key': 'once' };
    const [first, twin] = await Promise.all([
      discuss('ben', id, { body: 'a' }, key),
      discuss('ben', id, { body: 'a' }, key),
    ]);
    expect(await twin.json()).toEqual(await first.json());
    expect((await discuss('ben', id, { body: 'b' }, key)).status).toBe(409);
    expect((await discuss('ben', other.id, { body: 'a' }, key)).status).toBe(409);
    const { messages } = await team.as('ben').call('history', { query: { objective: id } });
    expect(messages.filter(({ body }) => body === 'a')).toHaveLength(1);
  });

  it('is the only way into the thread: POST /push with data.thread of an objective is 400', async () => {
    const { id } = await team.create();
    const body = { body: 'x', data: { thread: `obj:${id}` } };
    expect((await team.send('ben', 'POST', '/push', body)).status).toBe(400);
  });
});

describe('the activity stream', () => {
  interface Row {
    member: string;
    event: string;
  }
  const markers = () =>
    storeRows<Row>(join(team.folder, 'activity.db'), 'SELECT member, event FROM activity ORDER BY id').map(
      ({ member, event }) => {
        const { kind, objectiveId, result } = JSON.parse(event);
        return [member, objectiveId, kind, ...(result === undefined ? [] : [result])];
      },
    );

  it('gets objective_open on assignment and objective_close with done, cancelled, or reassigned', async () => {
    await startOwn();
    const a = await team.create();
    const b = await team.create();
    await team.send('ada', 'POST', `/objectives/${a.id}/reassign`, { to: 'cy' });
    await team.send('cy', 'POST', `/objectives/${a.id}/complete`, { result: 'x' });
    await team.send('ora', 'POST', `/objectives/${b.id}/cancel`, {});
    await expect.poll(markers).toEqual([
      ['ben', a.id, 'objective_open'],
      ['ben', b.id, 'objective_open'],
      ['ben', a.id, 'objective_close', 'reassigned'],
      ['cy', a.id, 'objective_open'],
      ['cy', a.id, 'objective_close', 'done'],
      ['ben', b.id, 'objective_close', 'cancelled'],
    ]);
  });
});
