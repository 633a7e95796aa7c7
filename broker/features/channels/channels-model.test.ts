import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ErrorReply } from '#protocol/error-reply.ts';
import { History, PushResult } from '#protocol/message.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import type { TestStream } from '../../testing/test-stream.ts';
import { ChannelModel } from './testing/channel-model.ts';

const names = ['ada', 'ben', 'cy', 'dan'];
/** CHANNELS_MODEL_RUNS is 20 by default. */
const numRuns = Number(process.env.CHANNELS_MODEL_RUNS ?? 20);

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker({ members: { ada: ['members.manage'], ben: [], cy: [], dan: [] } });
});
afterAll(() => team.stop());

const name = fc.constantFrom(...names);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('join' as const), name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('leave' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('post' as const), name }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('reconnect' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('disconnect' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('history' as const), name }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const json = (body: unknown) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const bodies = (stream: TestStream) => stream.messages().map(({ body }) => body);

let count = 0;

async function play(steps: Step[]): Promise<void> {
  count += 1;
  const slug = `run-${count}`;
  const { id } = await team.as('ben').call('createChannel', { body: { slug } });
  const model = new ChannelModel(names, 'ben');
  const cursorByName = new Map<string, string>();
  const streamByName = new Map<string, TestStream>();
  for (const who of names) {
    const stream = await team.stream(who);
    cursorByName.set(who, stream.cursor());
    stream.close();
  }
  const status = async (reply: Promise<Response>) => {
    const { status, body } = await reply;
    await body?.cancel();
    return status;
  };

  /** Everything before a note to oneself has arrived when the note has. */
  async function settle(who: string): Promise<void> {
    const stream = streamByName.get(who);
    if (stream === undefined) return;
    const mark = `mark ${model.accepted.length}`;
    await team.as(who).call('push', { body: { to: who, body: mark } });
    model.note(who, mark);
    await stream.until(() => bodies(stream).includes(mark));
    expect(bodies(stream)).toEqual(model.shownTo(who));
  }

  async function disconnect(who: string): Promise<void> {
    const stream = streamByName.get(who);
    if (stream === undefined) return;
    await settle(who);
    cursorByName.set(who, stream.cursor());
    streamByName.delete(who);
    stream.close();
    model.disconnect(who);
  }

  async function take({ kind, name: who }: Step): Promise<void> {
    const members = `/channels/${slug}/members`;
    if (kind === 'join')
      expect(await status(team.fetch(who, members, { method: 'POST', ...json({ member: who }) }))).toBe(
        model.join(who),
      );
    if (kind === 'leave' || kind === 'remove') {
      const by = kind === 'leave' ? who : 'ada';
      expect(await status(team.fetch(by, `${members}/${who}`, { method: 'DELETE' }))).toBe(model.leave(who));
    }
    if (kind === 'post') {
      const body = `post ${model.accepted.length}`;
      const reply = await team.fetch(who, '/push', {
        method: 'POST',
        ...json({ body, data: { thread: `chan:${id}` } }),
      });
      expect(reply.status).toBe(model.post(who, body));
      const answer = PushResult.or(ErrorReply).parse(await reply.json());
      if ('delivery' in answer) expect(answer.delivery.targets).toBe(model.inside.size - 1);
    }
    if (kind === 'reconnect') {
      await disconnect(who);
      model.connect(who);
      streamByName.set(who, await team.stream(who, cursorByName.get(who)));
    }
    if (kind === 'disconnect') await disconnect(who);
    if (kind === 'history') {
      const reply = await team.fetch(who, `/history?channel=${id}`);
      const page = History.or(ErrorReply).parse(await reply.json());
      const got = 'messages' in page ? page.messages.map(({ body }) => body) : reply.status;
      expect(got).toEqual(model.history(who));
    }
  }

  try {
    for (const one of steps) await take(one);
    for (const who of names) await settle(who);
    const { channel, members } = await team.as('dan').call('channel', { params: { slug } });
    expect(members.map(({ member }) => member).sort()).toEqual([...model.inside].sort());
    expect(channel.memberCount).toBe(model.inside.size);
  } finally {
    for (const stream of streamByName.values()) stream.close();
  }
}

it('shows each member exactly what was accepted while it was in, once and in order, whoever joins, leaves, posts, and resumes', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), play), {
    numRuns,
  });
});
