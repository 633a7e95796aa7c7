/** The counts of unread messages and mentions, and the read positions that they begin at (specification/receipts.md#reading). */
import { describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { setUpReceiptTeam } from './testing/receipt-team.ts';

let team: TestBroker;
const { nextMember, startOwn, say, read, unread } = setUpReceiptTeam((current) => {
  team = current;
});

describe('GET /unread', () => {
  it('counts messages of others after the read position, and the mentions among them', async () => {
    await startOwn();
    await say('ben', {});
    const upTo = await say('ada', { body: 'for @ben' });
    await say('cy', { body: 'and @ben again' });
    expect(await unread('ben', 'general')).toEqual({
      scope: 'general',
      count: 2,
      mentions: 2,
      lastReadId: null,
    });
    await read('ben', 'general', upTo);
    expect(await unread('ben', 'general')).toEqual({
      scope: 'general',
      count: 1,
      mentions: 1,
      lastReadId: upTo,
    });
  });

  it('counts mentions in prose in any case and script, and none in code, links, or addresses', async () => {
    await startOwn();
    const bodies = ['交给@ben处理', '_@ben_', 'ask @BEN', '`@ben`', 'mail me@ben.example', 'npm i @ben/kit'];
    for (const body of bodies) await say('ada', { body });
    expect(await unread('ben', 'general')).toMatchObject({ count: 6, mentions: 3 });
  });

  it('names a direct conversation by its other side', async () => {
    const member = nextMember();
    const id = await say('ada', { to: member });
    expect(await unread(member, 'dm:ada')).toMatchObject({ count: 1 });
    expect(await unread('ada', `dm:${member}`)).toMatchObject({ count: 0 });
    await read(member, 'dm:ada', id);
    expect(await unread(member, 'dm:ada')).toMatchObject({ count: 0, lastReadId: id });
  });

  it('counts a channel from joining on, and not at all after leaving', async () => {
    const member = nextMember();
    const { id } = await team.as('ada').call('createChannel', { body: { slug: 'joined' } });
    const post = () => say('ada', { body: `hi @${member}`, data: { thread: `chan:${id}` } });
    await post();
    await team.as(member).call('joinChannel', { params: { slug: 'joined' }, body: { member } });
    await post();
    expect(await unread(member, `chan:${id}`)).toMatchObject({ count: 1, mentions: 1 });
    await team.as(member).call('leaveChannel', { params: { slug: 'joined', name: member } });
    expect(await unread(member, `chan:${id}`)).toBeUndefined();
  });

  it('does not begin before the member joined the team', async () => {
    await say('ada', {});
    const { token } = await team.as('ada').call('createMember', {
      body: { name: 'erin', role: { title: 'd', description: '' }, permissions: [] },
    });
    const reply = await fetch(`${team.url}/unread`, { headers: { authorization: `Bearer ${token}` } });
    expect(await reply.json()).toEqual({
      scopes: [{ scope: 'general', count: 0, mentions: 0, lastReadId: null }],
      newestId: null,
    });
  });

  it('says up to which message it counts, the caller’s own included, and reveals none that the caller cannot read (ADR 0014)', async () => {
    await startOwn();
    const newest = async () => (await team.as('ben').call('unread', {})).newestId;
    expect(await newest()).toBeNull();
    const direct = await say('ada', { to: 'ben' });
    expect(await newest()).toBe(direct);
    await say('ada', { to: 'cy' });
    expect(await newest()).toBe(direct);
    const own = await say('ben', {});
    expect(await newest()).toBe(own);
    const { id } = await team.as('ada').call('createChannel', { body: { slug: 'ops' } });
    const post = () => say('ada', { data: { thread: `chan:${id}` } });
    await post();
    await team.as('ben').call('joinChannel', { params: { slug: 'ops' }, body: { member: 'ben' } });
    expect(await newest()).toBe(own);
    const later = await post();
    expect(await newest()).toBe(later);
  });
});

describe('POST /messages/read', () => {
  it('is refused for a message of another scope, of others’ conversation, or that does not exist', async () => {
    const direct = await say('ada', { to: 'ben' });
    await expect(read('ben', 'general', direct)).rejects.toMatchObject({ status: 400 });
    await expect(read('cy', 'dm:ada', direct)).rejects.toMatchObject({ status: 404 });
    await expect(read('ben', 'dm:ada', '019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071')).rejects.toMatchObject({
      status: 404,
    });
    await expect(read('ben', 'elsewhere', direct)).rejects.toMatchObject({ status: 400 });
  });

  it('survives a restart', async () => {
    const onDisk = await startTestBroker({ onDisk: true });
    try {
      const { message } = await onDisk.as('ada').call('push', { body: { to: 'ben', body: 'x' } });
      await onDisk.as('ben').call('reportRead', { body: { scope: 'dm:ada', upTo: message.id } });
      await onDisk.restart();
      const { receipts: known } = await onDisk.as('ada').call('receipts', { params: { id: message.id } });
      expect(known).toMatchObject([{ member: 'ben', state: 'read' }]);
    } finally {
      await onDisk.stop();
    }
  });
});
