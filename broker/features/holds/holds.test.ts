import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import type { PushResult } from '#protocol/message.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';

/** The id of no message. */
const nowhere = '01890000-0000-7000-8000-000000000000';

/** The members for single tests. */
const others = Array.from({ length: 30 }, (_, n) => `m${n}`);
let given = 0;
/** Returns the name of a member that has done nothing yet. */
const nextMember = (): string => others[given++] ?? '';

let now = 1_800_000_000_000;
const start = () =>
  startTestBroker({
    onDisk: true,
    clock: () => now,
    members: {
      ...{ ada: ['admin'], ben: [], cy: ['members.manage'], dan: ['objectives.create'] },
      ...Object.fromEntries(others.map((name) => [name, ['objectives.create']])),
    },
    config: { files: { root: 'files' } },
  });
let team: TestBroker;
beforeAll(async () => {
  team = await start();
});
afterAll(() => team.stop());

/** Starts a broker for this test alone, which the functions below use until the test ends. */
async function startOwn(): Promise<void> {
  const shared = team;
  const own = await start();
  team = own;
  onTestFinished(() => {
    team = shared;
    return own.stop();
  });
}

const tokenByWorker = new Map<string, string>();

interface Post {
  to?: string;
  body?: string;
  causes?: string[];
  data?: Record<string, unknown>;
  inReplyTo?: string;
}
const runIdByName = new Map(['ben', 'cy', 'dan', ...others].map((name) => [name, randomUUID()]));
/** A run of the member takes the lease, or renews it. */
const run = (name: string) =>
  team.as(name).call('takeRun', { body: { runId: runIdByName.get(name) ?? '', host: 'mill', agent: 'sh' } });
async function push(by: string, post: Post, key?: string): Promise<PushResult> {
  const worker = tokenByWorker.get(by);
  const reply = await team.fetch(worker === undefined ? by : null, '/push', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(worker !== undefined && { authorization: `Bearer ${worker}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify({ body: 'x', ...post }),
  });
  if (!reply.ok) throw errorOf(reply.status, await reply.text(), null);
  return (await reply.json()) as PushResult;
}
const held = async (by = 'ada') => (await team.as(by).call('heldPosts', {})).held;
const release = (id: string, by = 'ada') => team.as(by).call('releaseHeld', { params: { id } });
const drop = (id: string, by = 'ada') => team.as(by).call('dropHeld', { params: { id } });
const history = async (by: string, other: string) =>
  (await team.as(by).call('history', { query: { with: other as never } })).messages;

/** Two agents answer each other from one message of a person, until a post is held. Returns what was answered to each post. */
async function pingPong(one = 'ben', another = 'dan'): Promise<PushResult[]> {
  await Promise.all([run(one), run(another)]);
  let cause = (await push('ada', { to: one, body: `say hello to ${another}` })).message.id;
  const answers: PushResult[] = [];
  for (let turn = 0; answers.at(-1)?.held === undefined && turn < 50; turn++) {
    const [by, to] = turn % 2 === 0 ? [one, another] : [another, one];
    // Less in all than the time in which a lease must be renewed.
    now += 3000;
    const answer = await push(by, { to, body: `turn ${turn}`, causes: [cause] });
    answers.push(answer);
    cause = answer.message.id;
  }
  return answers;
}

describe('the author of a message', () => {
  it('is a person unless the member runs, and then an agent', async () => {
    const member = nextMember();
    expect((await push(member, { to: 'ada' })).message.agent).toBeUndefined();
    await run(member);
    expect((await push(member, { to: 'ada' })).message.agent).toEqual({ hops: 1 });
    expect((await history('ada', member)).map(({ agent }) => agent)).toEqual([{ hops: 1 }, undefined]);
  });

  it('is an agent if the post names causes, even none', async () => {
    const member = nextMember();
    expect((await push(member, { to: 'ada', causes: [] })).message.agent).toEqual({ hops: 1 });
  });

  it('is an agent if the token is one of a run, without a lease and without causes', async () => {
    const member = nextMember();
    const { token } = await team
      .as('ada')
      .call('createRunToken', { params: { name: member }, body: { label: '' } });
    const reply = await fetch(`${team.url}/push`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ to: 'ada', body: 'x' }),
    });
    expect(((await reply.json()) as PushResult).message.agent).toEqual({ hops: 1 });
  });

  it('is said of a notice and of a post in a thread, too', async () => {
    const [one, another] = [nextMember(), nextMember()];
    await run(another);
    const { id } = await team
      .as(another)
      .call('createObjective', { body: { title: 'x', outcome: 'y', assignee: one as never } });
    await team.as(another).call('discussObjective', { params: { id }, body: { body: 'go' } });
    await team.as(one).call('discussObjective', { params: { id }, body: { body: 'ok' } });
    const { messages } = await team.as(one).call('history', { query: { objective: id } });
    expect(messages.map(({ agent }) => agent)).toEqual([undefined, { hops: 1 }, { hops: 1 }]);
  });
});

describe('hops', () => {
  it('count from the causes that the poster may read, and ignore all others without telling', async () => {
    const [one, another] = [nextMember(), nextMember()];
    const { id: far } = (await push(one, { to: another, causes: [] })).message;
    const answer = await push(another, { to: 'ada', causes: [far] });
    expect(answer.message.agent).toEqual({ hops: 2 });
    expect((await push('cy', { to: 'ada', causes: [far] })).message.agent).toEqual({ hops: 1 });
    expect((await push('cy', { to: 'ada', causes: [nowhere] })).message.agent).toEqual({ hops: 1 });
  });

  it('are no more than one after a person has written in the conversation of the cause', async () => {
    const [one, another] = [nextMember(), nextMember()];
    const { id } = (await push(one, { causes: [] })).message;
    expect((await push(another, { causes: [id] })).message.agent).toEqual({ hops: 2 });
    await push('ada', {});
    expect((await push(another, { causes: [id] })).message.agent).toEqual({ hops: 1 });
  });
});

describe('two agents that always answer each other', () => {
  it('are stopped at the team’s limit, and the answer says so', async () => {
    await startOwn();
    const answers = await pingPong();
    expect(answers.map(({ message }) => message.agent?.hops)).toEqual(
      Array.from({ length: 13 }, (_, n) => n + 1),
    );
    const last = answers.at(-1);
    expect(last).toMatchObject({
      delivery: { live: 0, targets: 0 },
      held: { id: last?.message.id, reason: 'hops' },
    });
    expect((await history('dan', 'ben')).map(({ body }) => body)).not.toContain('turn 12');
    expect(await held()).toEqual([
      {
        id: last?.message.id,
        at: now,
        from: 'ben',
        to: 'dan',
        scope: 'dm:dan',
        title: null,
        excerpt: 'turn 12',
        attachments: [],
        hops: 13,
        reason: 'hops',
      },
    ]);
  });

  it('are stopped at the limit that the team sets', async () => {
    await startOwn();
    await team.as('ada').call('updateTeam', { body: { maxAgentHops: 3 } });
    expect(await pingPong()).toHaveLength(4);
    expect(
      (await team.as('ada').call('updateTeam', { body: { maxAgentHops: null } })).maxAgentHops,
    ).toBeUndefined();
  });

  it('are stopped when they name no causes', async () => {
    const [one, another] = [nextMember(), nextMember()];
    await Promise.all([run(one), run(another)]);
    const answers: PushResult[] = [];
    for (let turn = 0; turn < 13; turn++)
      answers.push(await push(turn % 2 === 0 ? one : another, { to: turn % 2 === 0 ? another : one }));
    expect(answers.at(-1)?.held?.reason).toBe('hops');
  });

  it('are stopped at a pace that no person can follow, when they hide their chain', async () => {
    const [one, another] = [nextMember(), nextMember()];
    await Promise.all([run(one), run(another)]);
    const old = [
      (await push('ada', { to: one })).message.id,
      (await push('ada', { to: another })).message.id,
    ];
    const send = (turn: number) =>
      push(turn % 2 === 0 ? one : another, {
        to: turn % 2 === 0 ? another : one,
        causes: old.slice(turn % 2, (turn % 2) + 1),
      });
    for (let turn = 0; turn < limits.holds.pairPosts; turn++) expect((await send(turn)).held).toBeUndefined();
    expect((await send(0)).held?.reason).toBe('rate');
    now += limits.holds.pairWindowMs;
    await Promise.all([run(one), run(another)]);
    expect((await send(0)).held).toBeUndefined();
  });

  it('are not stopped from writing to a person', async () => {
    const [one, another] = [nextMember(), nextMember()];
    const last = (await pingPong(one, another)).at(-2);
    expect((await push(one, { to: 'ada', causes: [last?.message.id ?? ''] })).held).toBeUndefined();
  });

  it('go on after a release, which is delivered as a message and begins the count anew', async () => {
    await startOwn();
    const last = (await pingPong()).at(-1);
    await team.restart();
    const { message } = await release(last?.message.id ?? '');
    expect(message).toMatchObject({ from: 'ben', to: 'dan', body: 'turn 12', agent: { hops: 0 } });
    expect((await history('dan', 'ben'))[0]).toEqual(message);
    expect(await held()).toEqual([]);
    expect((await push('dan', { to: 'ben', causes: [message.id] })).message.agent).toEqual({ hops: 1 });
    await expect(release(last?.message.id ?? '')).rejects.toMatchObject({ reason: 'unknown_held' });
  });
});

describe('a held post', () => {
  it('answers a repeat with the same Idempotency-Key in the same way, also after its release', async () => {
    await startOwn();
    const last = (await pingPong()).at(-2)?.message.id ?? '';
    const post = { to: 'dan', causes: [last] };
    const first = await push('ben', post, 'k');
    expect(await push('ben', post, 'k')).toEqual(first);
    expect((await held()).filter(({ id }) => id === first.held?.id)).toHaveLength(1);
    await drop((await held())[0]?.id ?? '');
    await release(first.held?.id ?? '');
    expect(await push('ben', post, 'k')).toEqual(first);
    expect(await held()).toEqual([]);
  });

  it('is released after the earlier ones of its writer in the conversation', async () => {
    const [one, another] = [nextMember(), nextMember()];
    const answers = await pingPong(one, another);
    const cause = answers.at(-2)?.message.id ?? '';
    const second = await push(one, { to: another, body: 'second', causes: [cause] });
    const firstId = answers.at(-1)?.held?.id ?? '';
    const secondId = second.held?.id ?? '';
    await expect(release(secondId)).rejects.toMatchObject({ reason: 'held_earlier' });
    await release(firstId);
    await release(secondId);
    expect((await history(another, one)).slice(0, 2).map(({ body }) => body)).toEqual(['second', 'turn 12']);
  });

  it('is shown to its writer and to managers only, and decided by a person with members.manage only', async () => {
    await startOwn();
    const id = (await pingPong()).at(-1)?.held?.id ?? '';
    expect(await held('ben')).toHaveLength(1);
    expect(await held('dan')).toEqual([]);
    for (const by of ['ben', 'dan']) await expect(release(id, by)).rejects.toMatchObject({ status: 403 });
    await run('cy');
    await expect(release(id, 'cy')).rejects.toMatchObject({ reason: 'held_by_person' });
    await expect(drop(id, 'cy')).rejects.toMatchObject({ reason: 'held_by_person' });
    await drop(id);
    expect(await held()).toEqual([]);
    expect(team.logged()).toContain('a held post was dropped');
  });

  it('records nothing about the message that it answers until it is released', async () => {
    const [one, another] = [nextMember(), nextMember()];
    const answers = await pingPong(one, another);
    const inReplyTo = answers.at(-2)?.message.id ?? '';
    const receipts = async () =>
      (await team.as(another).call('receipts', { params: { id: inReplyTo as never } })).receipts[0]?.state;
    const before = await receipts();
    const { held: mark } = await push(one, { to: another, causes: [inReplyTo], inReplyTo });
    expect(await receipts()).toBe(before);
    await release(answers.at(-1)?.held?.id ?? '');
    await release(mark?.id ?? '');
    expect(await receipts()).toBe('answered');
  });

  it('is in the audit log once it is released or dropped', async () => {
    const [one, another] = [nextMember(), nextMember()];
    const answers = await pingPong(one, another);
    const causes = [answers.at(-2)?.message.id ?? ''];
    const first = answers.at(-1)?.held?.id ?? '';
    const second = (await push(one, { to: another, causes })).held?.id ?? '';
    await expect(release(second)).rejects.toMatchObject({ reason: 'held_earlier' });
    await release(first);
    await drop(second);
    const { records } = await team.as('ada').call('audit', { query: { member: one, limit: '500' } });
    expect(records.filter(({ kind }) => kind.startsWith('held'))).toMatchObject([
      { kind: 'held_dropped', member: 'ada', subject: one, before: { heldId: second } },
      { kind: 'held_released', member: 'ada', subject: one, before: { heldId: first } },
    ]);
  });

  it('in the thread of an objective is held and released there', async () => {
    await startOwn();
    await Promise.all([run('ben'), run('dan')]);
    const { id } = await team
      .as('dan')
      .call('createObjective', { body: { title: 'x', outcome: 'y', assignee: 'ben' as never } });
    await team.as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
    const discuss = (by: string, causes: string[]) =>
      team.as(by).call('discussObjective', { params: { id }, body: { body: by, causes: causes as never } });
    const first = await discuss('ben', []);
    const second = await discuss('dan', [first.id]);
    expect(second.held).toEqual({ id: second.id, reason: 'hops' });
    expect((await held())[0]?.scope).toBe(`obj:${id}`);
    const { message } = await release(second.id);
    const { messages } = await team.as('ben').call('history', { query: { objective: id } });
    expect(messages[0]).toEqual(message);
  });

  it('is refused, not dropped, when too many of its writer are held', async () => {
    await startOwn();
    const cause = (await pingPong()).at(-2)?.message.id ?? '';
    for (let count = 1; count < limits.holds.perMember; count++)
      await push('ben', { to: 'dan', causes: [cause] });
    await expect(push('ben', { to: 'dan', causes: [cause] })).rejects.toMatchObject({
      reason: 'too_many_held',
    });
    expect(await held()).toHaveLength(limits.holds.perMember);
  });

  it('is announced to its writer and to managers when it is held and when it is released', async () => {
    const [one, another] = [nextMember(), nextMember()];
    const stream = await openTestStream(`${team.url}/subscribe?name=ada&events=all`, team.token('ada'));
    try {
      const id = (await pingPong(one, another)).at(-1)?.held?.id ?? '';
      const isOfHeld = ({ event, data }: { event?: string | undefined; data: string }) =>
        event === 'change' && data.includes(id);
      await expect.poll(() => stream.frames.filter(isOfHeld)).toHaveLength(1);
      await release(id);
      await expect.poll(() => stream.frames.filter(isOfHeld)).toHaveLength(2);
    } finally {
      stream.close();
    }
  });
});

it('lets a lead ask ten workers, and their ten answers pass', async () => {
  const lead = nextMember();
  const workers = Array.from({ length: 10 }, (_, index) => `w${index}`);
  const { id } = await team.as(lead).call('createChannel', { body: { slug: 'crew' } });
  await run(lead);
  const data = { thread: `chan:${id}` };
  const asked = (await push('ada', { to: lead })).message.id;
  for (const name of workers) {
    const { token } = await team
      .as('ada')
      .call('createMember', { body: { name: name as never, role: { title: 'w' }, permissions: [] } });
    tokenByWorker.set(name, token);
    await team.as(lead).call('joinChannel', { params: { slug: 'crew' }, body: { member: name as never } });
    expect((await push(lead, { to: name, causes: [asked] })).held).toBeUndefined();
  }
  const order = (await push(lead, { data, body: 'go', causes: [asked] })).message.id;
  for (const name of workers) {
    expect((await push(name, { to: lead, causes: [order] })).held).toBeUndefined();
    expect((await push(name, { data, causes: [order] })).message.agent).toEqual({ hops: 2 });
  }
});
