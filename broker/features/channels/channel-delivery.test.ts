import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import type { TestStream } from '../../testing/test-stream.ts';

let team: TestBroker;
let id: string;
beforeEach(async () => {
  team = await startTestBroker({
    onDisk: true,
    members: { ada: ['members.manage'], ben: [], cy: [], dan: [] },
  });
  id = (await team.as('ben').call('createChannel', { body: { slug: 'ops' } })).id;
});
afterEach(() => team.stop());

const params = { slug: 'ops' };
const join = (name: string) => team.as(name).call('joinChannel', { params, body: { member: name } });
const leave = (name: string) => team.as(name).call('leaveChannel', { params: { ...params, name } });
const post = (by: string, body: string) =>
  team.as(by).call('push', { body: { body, data: { thread: `chan:${id}` } } });
const bodies = (stream: TestStream) => stream.messages().map(({ body }) => body);
/** Everything before it has arrived when this has arrived. */
async function settled(name: string, stream: TestStream): Promise<string[]> {
  const mark = `mark ${Math.random()}`;
  await team.as(name).call('push', { body: { to: name, body: mark } });
  await stream.until(() => bodies(stream).includes(mark));
  return bodies(stream).filter((body) => !body.startsWith('mark '));
}
async function refusal(doing: Promise<unknown>): Promise<number> {
  const error = await doing.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return (error as { status?: number } | null)?.status ?? 200;
}

describe('a channel post', () => {
  it('reaches its members live, and nobody else', async () => {
    await join('cy');
    const names = ['ada', 'ben', 'cy', 'dan'];
    const streams = await Promise.all(names.map((name) => team.stream(name)));
    const { delivery, message } = await post('ben', 'hello');
    expect(delivery).toEqual({ live: 1, targets: 1 });
    expect(message).toMatchObject({ to: null, data: { thread: `chan:${id}` } });
    const seen = await Promise.all(names.map((name, at) => settled(name, streams[at] as TestStream)));
    expect(seen).toEqual([[], ['hello'], ['hello'], []]);
  });

  it('is refused to members who have not joined, managers included, as is reading: 403', async () => {
    for (const name of ['ada', 'cy']) {
      expect(await refusal(post(name, 'x'))).toBe(403);
      expect(await refusal(team.as(name).call('history', { query: { channel: id } }))).toBe(403);
      await join(name);
      expect((await post(name, 'x')).delivery.targets).toBeGreaterThan(0);
    }
  });

  it('does not reach a member from the moment that it leaves', async () => {
    await join('cy');
    const stream = await team.stream('cy');
    await post('ben', 'in');
    await leave('cy');
    await post('ben', 'out');
    expect(await settled('cy', stream)).toEqual(['in']);
    expect(await refusal(team.as('cy').call('history', { query: { channel: id } }))).toBe(403);
    await join('cy');
    await post('ben', 'in again');
    expect(await settled('cy', stream)).toEqual(['in', 'in again']);
  });

  it('keeps its id and its readers when the channel is renamed', async () => {
    await join('cy');
    const stream = await team.stream('cy');
    await team.as('ben').call('renameChannel', { params, body: { slug: 'operations' } });
    await post('ben', 'still here');
    expect(await settled('cy', stream)).toEqual(['still here']);
  });
});

describe('the history of a channel', () => {
  it('is complete for every member, also what was posted before it joined', async () => {
    await post('ben', 'one');
    await post('ben', 'two');
    await join('cy');
    const { messages } = await team.as('cy').call('history', { query: { channel: id } });
    expect(messages.map(({ body }) => body)).toEqual(['two', 'one']);
  });
});

describe('resume', () => {
  it('brings what was accepted while the caller was in the channel, if it still is', async () => {
    const first = await team.stream('cy');
    const cursor = first.cursor();
    first.close();
    await post('ben', 'before');
    await join('cy');
    await post('ben', 'first stay');
    await leave('cy');
    await post('ben', 'between');
    await join('cy');
    await post('ben', 'second stay');
    const inside = await team.stream('cy', cursor);
    expect(await settled('cy', inside)).toEqual(['first stay', 'second stay']);
    await team.restart();
    const again = await team.stream('cy', cursor);
    expect(await settled('cy', again)).toEqual(['first stay', 'second stay']);
  });

  it('brings nothing after leaving', async () => {
    const first = await team.stream('cy');
    const cursor = first.cursor();
    await join('cy');
    await post('ben', 'first stay');
    await leave('cy');
    expect(await settled('cy', await team.stream('cy', cursor))).toEqual([]);
  });

  it('brings posts of an archived channel that were missed', async () => {
    await join('cy');
    const first = await team.stream('cy');
    const cursor = first.cursor();
    first.close();
    await post('ben', 'last words');
    await team.as('ben').call('archiveChannel', { params });
    expect(await settled('cy', await team.stream('cy', cursor))).toEqual(['last words']);
  });

  it('brings exactly what live streams showed while members joined, left, and posted at the same time', async () => {
    const names = ['ada', 'cy', 'dan'];
    await Promise.all(names.map(join));
    const live = await Promise.all(names.map((name) => team.stream(name)));
    const start = live.map((stream) => stream.cursor());
    await Promise.all([
      ...names.map(async (name) => {
        for (let round = 0; round < 25; round++) {
          await leave(name);
          await join(name);
        }
      }),
      ...[0, 1, 2, 3].map(async (writer) => {
        for (let n = 0; n < 60; n++) await post('ben', `${writer}/${n}`);
      }),
    ]);
    for (const [at, name] of names.entries()) {
      const shown = await settled(name, live[at] as TestStream);
      const resumed = await settled(name, await team.stream(name, start[at]));
      expect(resumed).toEqual(shown);
      expect(new Set(shown).size).toBe(shown.length);
    }
  });
});

describe('joining and leaving over and over', () => {
  it('leaves nothing in the store', async () => {
    const { storeRows } = await import('../../testing/store-rows.ts');
    for (let n = 0; n < 20; n++) {
      await join('cy');
      await leave('cy');
    }
    const file = `${team.folder}/main.db`;
    expect(storeRows(file, 'SELECT * FROM channel_stay')).toEqual([]);
    await join('cy');
    await post('ben', 'x');
    for (let n = 0; n < 20; n++) {
      await leave('cy');
      await join('cy');
    }
    expect(storeRows(file, 'SELECT member FROM channel_stay')).toEqual([{ member: 'cy' }]);
  });
});
