/** Messages that a member marks as unread again, and where what is unread begins (specification/receipts.md#reading). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
let now = 1000;
beforeEach(async () => {
  team = await startTestBroker({ members: { ada: ['admin'], ben: [], cy: [] }, clock: () => now });
});
afterEach(() => team.stop());

/** Returns the ids of messages for everybody. */
async function say(from: string, ...bodies: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const body of bodies) {
    now += 1;
    ids.push((await team.as(from).call('push', { body: { body } })).message.id);
  }
  return ids;
}
const scope = 'general';
const read = (upTo = '') => team.as('ben').call('reportRead', { body: { scope, upTo } });
const markUnread = (from = '') => team.as('ben').call('markUnread', { body: { scope, from } });
const marks = () => team.as('ben').call('unreadMarks', { query: { scope } });
const unread = async () =>
  (await team.as('ben').call('unread', {})).scopes.find((one) => one.scope === scope) ?? null;
const receipt = async (id = '') =>
  (await team.as('ada').call('receipts', { params: { id } })).receipts.find(({ member }) => member === 'ben');

describe('a conversation', () => {
  it('counts as unread again from a message on, until it is read again', async () => {
    const ids = await say('ada', 'one', 'two @ben', 'three');
    await read(ids[2]);
    await markUnread(ids[1]);
    expect(await unread()).toEqual({ scope, count: 2, mentions: 1, lastReadId: ids[0] });
    expect(await marks()).toEqual({ firstId: ids[1], mentionIds: [ids[1]] });
    await read(ids[1]);
    expect(await unread()).toEqual({ scope, count: 1, mentions: 0, lastReadId: ids[1] });
    await read(ids[2]);
    expect(await unread()).toEqual({ scope, count: 0, mentions: 0, lastReadId: ids[2] });
    expect(await marks()).toEqual({ firstId: null, mentionIds: [] });
  });

  it('keeps its receipts: what was read stays read, at its time', async () => {
    const ids = await say('ada', 'one', 'two', 'three');
    now = 5000;
    await read(ids[1]);
    const before = await receipt(ids[1]);
    expect(before).toEqual({ member: 'ben', state: 'read', at: 5000 });
    now = 6000;
    await markUnread(ids[0]);
    expect(await receipt(ids[1])).toEqual(before);
    expect(await receipt(ids[0])).toMatchObject({ state: 'read' });
    now = 7000;
    await read(ids[0]);
    await read(ids[1]);
    expect(await receipt(ids[1])).toEqual(before);
    expect(await receipt(ids[2])).not.toMatchObject({ state: 'read' });
    await read(ids[2]);
    expect(await receipt(ids[2])).toEqual({ member: 'ben', state: 'read', at: 7000 });
  });

  it('has no last read message when all of it counts as unread', async () => {
    const ids = await say('ada', 'one', 'two');
    await read(ids[1]);
    await markUnread(ids[0]);
    expect(await unread()).toEqual({ scope, count: 2, mentions: 0, lastReadId: null });
  });

  it('stays as it is when the message is unread already, and refuses what the caller may not read', async () => {
    const ids = await say('ada', 'one', 'two', 'three');
    await markUnread(ids[0]);
    await read(ids[0]);
    await markUnread(ids[2]);
    expect(await unread()).toMatchObject({ count: 2, lastReadId: ids[0] });
    const { message } = await team.as('ada').call('push', { body: { to: 'cy', body: 'for cy' } });
    await expect(markUnread(message.id)).rejects.toMatchObject({ status: 404 });
    const own = await team.as('ben').call('push', { body: { to: 'cy', body: 'hello' } });
    await expect(markUnread(own.message.id)).rejects.toMatchObject({ status: 400 });
  });

  it('begins with the first message of somebody else, in direct messages too, and lists mentions oldest first', async () => {
    await say('ben', 'my own');
    const ids = await say('ada', 'one', '@ben two', '@ben three');
    expect(await marks()).toEqual({ firstId: ids[0], mentionIds: [ids[1], ids[2]] });
    await team.as('ben').call('push', { body: { to: 'ada', body: 'hello' } });
    const { message } = await team.as('ada').call('push', { body: { to: 'ben', body: 'hello' } });
    const direct = () => team.as('ben').call('unreadMarks', { query: { scope: 'dm:ada' } });
    expect((await direct()).firstId).toBe(message.id);
    await team.as('ben').call('reportRead', { body: { scope: 'dm:ada', upTo: message.id } });
    expect((await direct()).firstId).toBeNull();
    await expect(
      team.as('ben').call('unreadMarks', { query: { scope: 'obj:obj_0123456789' } }),
    ).rejects.toMatchObject({ status: 404 });
  });
});
