/** The items that a member has dealt with, and unread critical messages (specification/attention.md). */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeRows } from '../../testing/store-rows.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
let now = 1000;
beforeEach(async () => {
  now = 1000;
  team = await startTestBroker({
    members: { ada: ['admin'], ben: [], cy: [] },
    clock: () => now,
    onDisk: true,
  });
});
afterEach(() => team.stop());

const attention = (name: string) => team.as(name).call('attention', {});
const marks = async (name: string) => (await attention(name)).marks;
const criticalOf = async (name: string) => (await attention(name)).critical.map(({ excerpt }) => excerpt);
const mark = (name: string, item: string, until: number | null = null) =>
  team.as(name).call('markAttention', { body: { item, until } });

describe('what a member has dealt with', () => {
  it('is kept for the member alone, across a restart, until it is taken back', async () => {
    await mark('ben', 'objective:obj-1:5');
    now = 2000;
    await mark('ben', 'device:1');
    expect(await marks('cy')).toEqual([]);
    await team.restart();
    expect(await marks('ben')).toEqual([
      { item: 'objective:obj-1:5', at: 1000, until: null },
      { item: 'device:1', at: 2000, until: null },
    ]);
    await team.as('ben').call('unmarkAttention', { query: { item: 'device:1' } });
    expect(await marks('ben')).toMatchObject([{ item: 'objective:obj-1:5' }]);
  });

  it('asks again when its time has come, and a later mark replaces an earlier one', async () => {
    await mark('ben', 'one', 5000);
    now = 4999;
    expect(await marks('ben')).toEqual([{ item: 'one', at: 1000, until: 5000 }]);
    now = 5000;
    expect(await marks('ben')).toEqual([]);
    await mark('ben', 'one');
    expect(await marks('ben')).toEqual([{ item: 'one', at: 5000, until: null }]);
  });

  it('is limited to the newest 500', async () => {
    for (let n = 0; n < 502; n++) {
      now += 1;
      await mark('ben', `item ${n}`);
    }
    const kept = await marks('ben');
    expect(kept).toHaveLength(500);
    expect(kept[0]?.item).toBe('item 2');
  });

  it('goes with the member', async () => {
    await mark('cy', 'one');
    await team.as('ada').call('deleteMember', { params: { name: 'cy' } });
    expect(storeRows(join(team.folder, 'main.db'), 'SELECT item FROM attention_mark')).toEqual([]);
  });

  it('has a name of at most 200 characters', async () => {
    await expect(mark('ben', 'x'.repeat(201))).rejects.toMatchObject({ status: 400 });
    await expect(mark('ben', '')).rejects.toMatchObject({ status: 400 });
  });
});

const say = (from: string, to: string | null, body: string, level: 'critical' | 'info' = 'critical') => {
  now += 1;
  return team.as(from).call('push', { body: { to, body, level } });
};

describe('a critical message', () => {
  it('is named to those who may read it and have not, newest first', async () => {
    await say('ada', 'ben', 'only for ben');
    await say('ada', null, 'for everybody');
    await say('ada', null, 'not critical', 'info');
    expect(await criticalOf('ben')).toEqual(['for everybody', 'only for ben']);
    expect(await criticalOf('cy')).toEqual(['for everybody']);
    expect(await criticalOf('ada')).toEqual([]);
    expect((await attention('ben')).critical[1]).toMatchObject({ from: 'ada', scope: 'dm:ada' });
  });

  it('is no longer named when it was read, and again when it is marked as unread', async () => {
    const { message } = await say('ada', 'ben', 'only for ben');
    const upTo = message.id;
    await team.as('ben').call('reportRead', { body: { scope: 'dm:ada', upTo } });
    expect(await criticalOf('ben')).toEqual([]);
    await team.as('ben').call('markUnread', { body: { scope: 'dm:ada', from: upTo } });
    expect(await criticalOf('ben')).toEqual(['only for ben']);
  });

  it('from before a member joined a channel or the team is not for it', async () => {
    const { id } = await team.as('ada').call('createChannel', { body: { slug: 'ops' } });
    const post = (body: string) =>
      team.as('ada').call('push', { body: { body, level: 'critical', data: { thread: `chan:${id}` } } });
    await post('early');
    await team.as('ada').call('joinChannel', { params: { slug: 'ops' }, body: { member: 'ben' } });
    await post('late');
    expect(await criticalOf('ben')).toEqual(['late']);
    expect(await criticalOf('cy')).toEqual([]);
  });
});

describe('a message to the member', () => {
  const addressed = async (name: string) => (await attention(name)).addressed;
  const tell = (from: string, to: string | null, body: string) => say(from, to, body, 'info');

  it('is named with the newest of its conversation while it is unread', async () => {
    await tell('ada', 'ben', 'first');
    const { message } = await tell('ada', 'ben', 'second');
    await tell('ben', 'ada', 'an answer');
    await tell('cy', null, 'for everybody');
    await tell('cy', null, 'a question for @ben');
    await tell('cy', null, 'for everybody again');
    await expect
      .poll(() => addressed('ben'))
      .toMatchObject([
        { from: 'cy', scope: 'general', excerpt: 'a question for @ben' },
        { id: message.id, from: 'ada', scope: 'dm:ada', excerpt: 'second' },
      ]);
    await team.as('ben').call('reportRead', { body: { scope: 'dm:ada', upTo: message.id } });
    expect(await addressed('ben')).toMatchObject([{ scope: 'general' }]);
    expect(await addressed('cy')).toEqual([]);
  });
});
