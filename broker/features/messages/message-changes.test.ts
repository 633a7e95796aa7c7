/** Messages that their senders edit and delete (specification/messages.md#changes). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const hourMs = 3_600_000;
let team: TestBroker;
let now = 0;
beforeEach(async () => {
  now = 1_800_000_000_000;
  team = await startTestBroker({
    members: { ada: ['admin'], ben: [], cy: [] },
    clock: () => now,
    onDisk: true,
  });
});
afterEach(() => team.stop());

const say = async (from: string, to: string | null, body: string, more: object = {}): Promise<string> =>
  (await team.as(from).call('push', { body: { to, body, ...more } })).message.id;
const edit = (name: string, id: string, body: string) =>
  team.as(name).call('editMessage', { params: { id }, body: { body } });
const remove = (name: string, id: string) => team.as(name).call('deleteMessage', { params: { id } });
const history = async (name: string, other?: string): Promise<Message[]> =>
  (await team.as(name).call('history', { query: other === undefined ? {} : { with: other } })).messages;
const found = async (name: string, q: string) =>
  (await team.as(name).call('search', { query: { q } })).results.map(({ id }) => id);

describe('an edited message', () => {
  it('has the new text and its former place, and the conversation gets a notice, which the reply has, too', async () => {
    const id = await say('ada', 'ben', 'meet at noon');
    const stream = await team.stream('ben');
    now += 5000;
    const { message, notice } = await edit('ada', id, 'meet at one');
    expect(message).toMatchObject({ id, body: 'meet at one', edited: { at: now } });
    expect(notice).toMatchObject({
      from: 'ada',
      to: 'ben',
      body: 'meet at one',
      inReplyTo: id,
      data: { event: { type: 'message.edited', messageId: id } },
    });
    expect(await history('ben', 'ada')).toEqual([notice, message]);
    await stream.until(() => stream.messages().some((one) => one.id === notice.id));
    expect(stream.messages()).toEqual([notice]);
    stream.close();
  });

  it('still mentions everybody whom its new text names, in the title, too, and nobody else', async () => {
    const title = '@ben, look';
    const { message } = await team.as('ada').call('push', { body: { title, body: 'Ask @cy' } });
    const mentions = async (name: string) =>
      (await team.as(name).call('unreadMarks', { query: { scope: 'general' } })).mentionIds;
    await expect.poll(() => mentions('cy')).toEqual([message.id]);
    await edit('ada', message.id, 'Ask nobody');
    expect(await mentions('ben')).toEqual([message.id]);
    expect(await mentions('cy')).toEqual([]);
    const { messages } = await team.as('ben').call('waiting', {});
    expect(messages.map(({ id }) => id)).toContain(message.id);
    await remove('ada', message.id);
    expect(await mentions('ben')).toEqual([]);
  });

  it('is found by its new words only, also after a restart, and again when it is edited again', async () => {
    const id = await say('ada', null, 'the walrus sleeps');
    await expect.poll(() => found('ben', 'walrus')).toEqual([id]);
    const { notice } = await edit('ada', id, 'the narwhal sleeps');
    expect(await found('ben', 'walrus')).toEqual([]);
    await expect.poll(() => found('ben', 'narwhal')).toEqual([notice.id, id]);
    await team.restart();
    expect(await found('ben', 'walrus')).toEqual([]);
    await edit('ada', id, 'the orca sleeps');
    expect((await found('ben', 'narwhal')).includes(id)).toBe(false);
  });

  it('is what a stream that resumes gets, with the notice after it', async () => {
    const stream = await team.stream('ben');
    const cursor = stream.cursor();
    stream.close();
    const id = await say('ada', 'ben', 'a secret');
    const { notice } = await edit('ada', id, 'nothing to see');
    const resumed = await team.stream('ben', cursor);
    await resumed.until(() => resumed.messages().length === 2);
    expect(resumed.messages()).toMatchObject([
      { id, body: 'nothing to see', edited: { at: now } },
      { id: notice.id },
    ]);
    resumed.close();
  });
});

describe('a deleted message', () => {
  it('has no text, title, data, and attachments anymore, for anybody', async () => {
    const id = await say('ada', null, 'the password is tern', { title: 'Tern', data: { bird: 'tern' } });
    await expect.poll(() => found('ben', 'tern')).toEqual([id]);
    const { message, notice } = await remove('ada', id);
    expect(message).toEqual({
      ...message,
      ...{ id, title: null, body: 'This message was deleted.', data: {}, attachments: [] },
      deleted: { at: now },
    });
    expect(notice).toMatchObject({ data: { event: { type: 'message.deleted', messageId: id } } });
    expect(JSON.stringify(await history('ben'))).not.toContain('tern');
    expect(await found('ben', 'tern')).toEqual([]);
    expect(await team.as('ben').call('waiting', {})).toMatchObject({ messages: [] });
  });

  it('keeps the channel that it is in', async () => {
    const { id: channel } = await team.as('ada').call('createChannel', { body: { slug: 'ops' } });
    const id = await say('ada', null, 'oops', { data: { thread: `chan:${channel}`, other: 1 } });
    const { message, notice } = await remove('ada', id);
    expect(message.data).toEqual({ thread: `chan:${channel}` });
    expect(notice.data).toMatchObject({ thread: `chan:${channel}` });
    const { messages } = await team.as('ada').call('history', { query: { channel } });
    expect(messages).toEqual([notice, message]);
  });

  it('cannot be changed again', async () => {
    const id = await say('ada', null, 'oops');
    await remove('ada', id);
    await expect(edit('ada', id, 'back')).rejects.toMatchObject({
      status: 409,
      reason: 'message_is_deleted',
    });
    await expect(remove('ada', id)).rejects.toMatchObject({ status: 409 });
  });
});

describe('a change is refused', () => {
  it('to everybody but the sender; to a member who may not read the message, as for one that does not exist', async () => {
    const id = await say('ada', 'ben', 'for ben');
    await expect(edit('ben', id, 'x')).rejects.toMatchObject({ status: 403, reason: 'message_not_yours' });
    await expect(remove('cy', id)).rejects.toMatchObject({ status: 404, reason: 'unknown_message' });
  });

  it('after an hour', async () => {
    const id = await say('ada', 'ben', 'for ben');
    now += hourMs;
    await edit('ada', id, 'in time');
    now += 1;
    await expect(remove('ada', id)).rejects.toMatchObject({ status: 409, reason: 'too_late_to_change' });
    expect((await history('ben', 'ada')).at(-1)).toMatchObject({ body: 'in time' });
  });

  it('to a run of an agent', async () => {
    const id = await say('ben', 'ada', 'from ben');
    await team.as('ben').call('takeRun', {
      body: { runId: crypto.randomUUID(), agent: 'codex', host: 'h' },
    });
    await expect(edit('ben', id, 'x')).rejects.toMatchObject({ status: 403, reason: 'changed_by_person' });
  });

  it('under a legal hold, and for what the broker wrote', async () => {
    const id = await say('ada', 'ben', 'evidence');
    await team
      .as('ada')
      .call('updateRetention', { body: { hold: { on: 'member:ada', reason: 'a court asks' } } });
    await expect(remove('ada', id)).rejects.toMatchObject({ status: 409, reason: 'message_is_record' });
    const { id: objective } = await team.as('ada').call('createObjective', {
      body: { title: 'Draw', outcome: 'Drawn', assignee: 'ben' },
    });
    const { messages } = await team.as('ada').call('history', { query: { objective } });
    await expect(edit('ada', messages[0]?.id ?? '', 'x')).rejects.toMatchObject({
      reason: 'message_is_record',
    });
  });

  it('in a channel that is archived, and nothing changes', async () => {
    const { id: channel } = await team.as('ada').call('createChannel', { body: { slug: 'ops' } });
    const id = await say('ada', null, 'stays', { data: { thread: `chan:${channel}` } });
    await team.as('ada').call('archiveChannel', { params: { slug: 'ops' } });
    await expect(remove('ada', id)).rejects.toMatchObject({ status: 410 });
    const { messages } = await team.as('ada').call('history', { query: { channel } });
    expect(messages).toMatchObject([{ body: 'stays' }]);
  });
});

describe('the text of an edit, after the next change of the message,', () => {
  const texts = async (name: string) => JSON.stringify(await history(name));

  it('is gone from history and search when the message is deleted, and the notice of the edit says so', async () => {
    const id = await say('ada', null, 'hello');
    const { notice } = await edit('ada', id, 'the password is tern');
    await expect.poll(() => found('ben', 'tern')).toContain(id);
    now += 1000;
    await remove('ada', id);
    expect(await texts('ben')).not.toContain('tern');
    expect(await found('ben', 'tern')).toEqual([]);
    const former = (await history('ben')).find((one) => one.id === notice.id);
    expect(former).toMatchObject({
      body: 'This message was deleted.',
      deleted: { at: now },
      data: { event: { type: 'message.edited', messageId: id } },
    });
  });

  it('is gone when the message is edited again, also if that was long ago in other messages', async () => {
    const id = await say('ada', null, 'hello');
    await edit('ada', id, 'the password is tern');
    for (let n = 0; n < 50; n++) await say('ben', null, `message ${n}`);
    await edit('ada', id, 'hello, all');
    expect(await found('ben', 'tern')).toEqual([]);
    const { notice } = await edit('ada', id, 'hello, everybody');
    expect(await texts('ben')).not.toContain('tern');
    expect((await history('ben')).find((one) => one.id === notice.id)?.body).toBe('hello, everybody');
  });

  it('is gone for a stream that resumes', async () => {
    const stream = await team.stream('ben');
    const cursor = stream.cursor();
    stream.close();
    const id = await say('ada', null, 'hello');
    await edit('ada', id, 'the password is tern');
    await remove('ada', id);
    const resumed = await team.stream('ben', cursor);
    await resumed.until(() => resumed.messages().length === 3);
    expect(JSON.stringify(resumed.messages())).not.toContain('tern');
    resumed.close();
  });
});

describe('a change of a message', () => {
  it('is possible after the other side was removed', async () => {
    const id = await say('ada', 'ben', 'the password is tern');
    await team.as('ada').call('deleteMember', { params: { name: 'ben' } });
    const { message } = await remove('ada', id);
    expect(message).toMatchObject({ id, body: 'This message was deleted.' });
  });

  it('does not answer the message', async () => {
    const id = await say('ben', 'ben', 'note');
    await edit('ben', id, 'another note');
    const { receipts } = await team.as('ben').call('receipts', { params: { id } });
    expect(receipts.map(({ state }) => state)).not.toContain('answered');
  });

  it('is 404 in a channel that the sender left', async () => {
    const { id: channel } = await team.as('ada').call('createChannel', { body: { slug: 'ops' } });
    await team.as('ben').call('joinChannel', { params: { slug: 'ops' }, body: { member: 'ben' as never } });
    const { message } = await team
      .as('ben')
      .call('push', { body: { body: 'mine', data: { thread: `chan:${channel}` } } });
    await team.as('ben').call('leaveChannel', { params: { slug: 'ops', name: 'ben' } });
    await expect(remove('ben', message.id)).rejects.toMatchObject({ status: 404 });
  });

  it('is refused while a legal hold is on a member whom the message concerns', async () => {
    const { id: channel } = await team.as('ada').call('createChannel', { body: { slug: 'ops' } });
    for (const member of ['ben', 'cy'] as never[])
      await team.as(member).call('joinChannel', { params: { slug: 'ops' }, body: { member } });
    const general = await say('cy', null, 'evidence');
    const inChannel = await say('cy', null, 'evidence', { data: { thread: `chan:${channel}` } });
    const elsewhere = await say('cy', 'ada', 'lunch?');
    const hold = { on: 'member:ben', reason: 'a court asks' };
    await team.as('ada').call('updateRetention', { body: { hold } });
    for (const id of [general, inChannel]) {
      const kept = { status: 409, reason: 'message_is_record' };
      await expect(remove('cy', id)).rejects.toMatchObject(kept);
      await expect(edit('cy', id, 'nothing')).rejects.toMatchObject(kept);
    }
    await remove('cy', elsewhere);
  });
});
