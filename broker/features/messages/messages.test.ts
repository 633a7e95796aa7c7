import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { History, PushResult } from '#protocol/message.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker();
});
afterAll(() => team.stop());

const push = (name: string, body: unknown, headers: Record<string, string> = {}) =>
  team.fetch(name, '/push', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

const resultOf = async (reply: Promise<Response>) => (await (await reply).json()) as PushResult;

describe('POST /push', () => {
  it('sends a direct message with every field of the stored form', async () => {
    const { message } = await team
      .as('ada')
      .call('push', { body: { to: 'ben', title: 'Hi', body: 'hello', data: { n: 1 } } });
    expect(message).toMatchObject({
      from: 'ada',
      to: 'ben',
      title: 'Hi',
      body: 'hello',
      level: 'info',
      data: { n: 1 },
      attachments: [],
    });
    const { messages } = await team.as('ben').call('history', { query: { with: 'ada' } });
    expect(messages[0]).toEqual(message);
  });

  it('sets `from` to the authenticated member; a payload cannot override it', async () => {
    expect((await resultOf(push('ben', { body: 'x', from: 'ada' }))).message.from).toBe('ben');
  });

  it('treats a post to chan:general and a broadcast as one scope, and stores data as sent', async () => {
    const { message } = await team
      .as('cy')
      .call('push', { body: { body: 'posted', data: { thread: 'chan:general' } } });
    expect(message.data).toEqual({ thread: 'chan:general' });
    const { messages } = await team.as('ben').call('history', { query: { limit: '1' } });
    expect(messages[0]).toEqual(message);
    const named = await team.as('ben').call('history', { query: { channel: 'general', limit: '1' } });
    expect(named.messages).toEqual(messages);
  });

  it('counts targets without the sender, and live connections of the targets only', async () => {
    const streams = [await team.stream('ada'), await team.stream('ben'), await team.stream('ben')];
    const broadcast = await team.as('ada').call('push', { body: { body: 'all' } });
    expect(broadcast.delivery).toEqual({ live: 2, targets: 2 });
    const direct = await team.as('ada').call('push', { body: { to: 'ben', body: 'one' } });
    expect(direct.delivery).toEqual({ live: 2, targets: 1 });
    const self = await team.as('ada').call('push', { body: { to: 'ada', body: 'me' } });
    expect(self.delivery).toEqual({ live: 1, targets: 1 });
    const offline = await team.as('ada').call('push', { body: { to: 'cy', body: 'later' } });
    expect(offline.delivery).toEqual({ live: 0, targets: 1 });
    for (const stream of streams) {
      stream.close();
      await stream.ended;
    }
  });

  it.each([
    ['no body', {}, 400],
    ['an empty body', { body: '' }, 400],
    ['a body over 65,536 characters', { body: 'x'.repeat(65_537) }, 400],
    ['a body that is not text', { body: 5 }, 400],
    ['a lone surrogate', { body: '\ud800' }, 400],
    ['an unknown level', { body: 'x', level: 'loud' }, 400],
    ['a title over 200 characters', { body: 'x', title: 'x'.repeat(201) }, 400],
    ['data that is a list', { body: 'x', data: [] }, 400],
    ['data over 16 KiB', { body: 'x', data: { x: 'y'.repeat(16 * 1024) } }, 400],
    ['65 attachments', { body: 'x', attachments: Array(65).fill('/ada/x') }, 400],
    ['data.event', { body: 'x', data: { event: {} } }, 400],
    ['an objective thread', { body: 'x', data: { thread: 'obj:obj_0123456789' } }, 400],
    ['data.thread with a recipient', { to: 'ben', body: 'x', data: { thread: 'chan:general' } }, 400],
    ['data.thread that is no text', { body: 'x', data: { thread: null } }, 400],
    ['an unknown recipient', { to: 'zoe', body: 'x' }, 404],
    ['a recipient in another case', { to: 'Ben', body: 'x' }, 404],
    ['a malformed recipient', { to: 'a b', body: 'x' }, 400],
    ['an unknown channel', { body: 'x', data: { thread: 'chan:ch_0123456789' } }, 404],
    ['a missing attachment of one’s own', { body: 'x', attachments: ['/ada/none.txt'] }, 404],
    ['a foreign attachment', { body: 'x', attachments: ['/ben/none.txt'] }, 403],
    ['a relative attachment', { body: 'x', attachments: ['none.txt'] }, 400],
  ])('refuses %s and stores nothing', async (_, payload, status) => {
    const before = await team.as('ada').call('history', { query: {} });
    const reply = await push('ada', payload);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ error: expect.any(String), message: expect.any(String) });
    expect(await team.as('ada').call('history', { query: {} })).toEqual(before);
  });

  it('counts lengths in code points', async () => {
    expect((await push('ada', { to: 'ada', body: 'x', title: '🦊'.repeat(200) })).status).toBe(200);
    expect((await push('ada', { to: 'ada', body: 'x', title: '🦊'.repeat(201) })).status).toBe(400);
  });

  it('assigns ids that increase in the order of acceptance and times that never decrease', async () => {
    const sent = await Promise.all(
      Array.from({ length: 50 }, (_, n) => team.as('cy').call('push', { body: { to: 'cy', body: `${n}` } })),
    );
    const { messages } = await team.as('cy').call('history', { query: { with: 'cy', limit: '50' } });
    const ids = messages.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(new Set(ids).size).toBe(50);
    expect(new Set(sent.map(({ message }) => message.id))).toEqual(new Set(ids));
    const times = messages.map(({ ts }) => ts);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });
});

describe('Idempotency-Key', () => {
  it('returns the first answer and does nothing again', async () => {
    const first = await resultOf(push('ada', { to: 'ben', body: 'once' }, { 'idempotency-key': 'k1' }));
    const again = await push('ada', { to: 'ben', body: 'once' }, { 'idempotency-key': 'k1' });
    expect(again.status).toBe(200);
    expect(await again.json()).toEqual(first);
    const { messages } = await team.as('ben').call('history', { query: { with: 'ada' } });
    expect(messages.filter(({ body }) => body === 'once')).toHaveLength(1);
  });

  it('answers 409 to another body with the same key', async () => {
    await push('ada', { body: 'a' }, { 'idempotency-key': 'k2' });
    expect((await push('ada', { body: 'b' }, { 'idempotency-key': 'k2' })).status).toBe(409);
  });

  it('is scoped to the member', async () => {
    const ada = await resultOf(push('ada', { to: 'cy', body: 'same' }, { 'idempotency-key': 'k3' }));
    const ben = await resultOf(push('ben', { to: 'cy', body: 'same' }, { 'idempotency-key': 'k3' }));
    expect(ben.message.id).not.toBe(ada.message.id);
  });

  it('makes a second request in flight wait for the first', async () => {
    const stream = await team.stream('ben');
    const twins = await Promise.all(
      Array.from({ length: 8 }, () =>
        resultOf(push('ada', { to: 'ben', body: 'twin' }, { 'idempotency-key': 'k4' })),
      ),
    );
    for (const twin of twins) expect(twin).toEqual(twins[0]);
    expect(twins[0]?.delivery).toEqual({ live: 1, targets: 1 });
    const { messages } = await team.as('ben').call('history', { query: { with: 'ada' } });
    expect(messages.filter(({ body }) => body === 'twin')).toHaveLength(1);
    stream.close();
  });

  it('keeps only 2xx answers', async () => {
    expect((await push('ada', { to: 'zoe', body: 'x' }, { 'idempotency-key': 'k5' })).status).toBe(404);
    expect((await push('ada', { to: 'ben', body: 'x' }, { 'idempotency-key': 'k5' })).status).toBe(200);
  });

  it.each([
    ['blank', ' '],
    ['too long', 'k'.repeat(129)],
    ['not ASCII', 'ké'],
  ])('refuses a key that is %s', async (_, key) => {
    expect((await push('ada', { body: 'x' }, { 'idempotency-key': key })).status).toBe(400);
  });
});

describe('GET /history', () => {
  it('is newest first, in pages of 50 by default and 500 at most', async () => {
    for (let n = 0; n < 60; n++) await team.as('cy').call('push', { body: { to: 'ada', body: `page ${n}` } });
    const first = await team.as('ada').call('history', { query: { with: 'cy' } });
    expect(first.messages).toHaveLength(50);
    expect(first.messages[0]?.body).toBe('page 59');
    const last = first.messages.at(-1);
    const second = await team
      .as('ada')
      .call('history', { query: { with: 'cy', before: String(last?.ts), beforeId: String(last?.id) } });
    expect(second.messages[0]?.body).toBe('page 9');
    await expect(team.as('ada').call('history', { query: { limit: '501' } })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('reads a long page piece by piece, also within a millisecond, and sends it whole', async () => {
    const fixed = await startTestBroker({ clock: () => 1_800_000_000_000 });
    const bodies = Array.from({ length: 230 }, (_, n) => `${n}`);
    for (const body of bodies) await fixed.as('ada').call('push', { body: { body } });
    const reply = await fixed.fetch('ben', '/history?limit=220');
    const text = await reply.text();
    expect(reply.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    const { messages } = JSON.parse(text) as History;
    expect(messages.map(({ body }) => body)).toEqual(bodies.toReversed().slice(0, 220));
    const all = await fixed.as('ben').call('history', { query: { limit: '500' } });
    expect(all.messages.map(({ body }) => body)).toEqual(bodies.toReversed());
    await fixed.stop();
  });

  it('applies `before` strictly, and beforeId breaks ties within a millisecond', async () => {
    const fixed = await startTestBroker({ clock: () => 1_800_000_000_000 });
    const sent = [];
    for (let n = 0; n < 5; n++)
      sent.push((await fixed.as('ada').call('push', { body: { body: `${n}` } })).message);
    const ts = String(sent[0]?.ts);
    expect((await fixed.as('ada').call('history', { query: { before: ts } })).messages).toEqual([]);
    const tied = await fixed
      .as('ada')
      .call('history', { query: { before: ts, beforeId: String(sent[3]?.id), limit: '2' } });
    expect(tied.messages.map(({ body }) => body)).toEqual(['2', '1']);
    const fromTheEnd = { before: String(Number.MAX_SAFE_INTEGER) };
    expect((await fixed.as('ada').call('history', { query: fromTheEnd })).messages).toHaveLength(5);
    await fixed.stop();
  });

  it('sends a page of long messages in pieces, complete and in order, so that memory does not hold 500 of them', async () => {
    const fixed = await startTestBroker({ clock: () => 1_800_000_000_000 });
    const body = '💬'.repeat(65_536);
    const sent = [];
    for (let n = 0; n < 7; n++)
      sent.push((await fixed.as('ada').call('push', { body: { title: `${n}`, body } })).message);
    const reply = await fixed.fetch('ben', '/history?limit=6');
    expect(reply.headers.get('content-length')).toBeNull();
    expect(await reply.json()).toEqual({ messages: sent.toReversed().slice(0, 6) });
    expect(await (await fixed.fetch('ben', '/history')).json()).toEqual({ messages: sent.toReversed() });
    await fixed.stop();
  });

  it('shows a direct conversation to its two sides only', async () => {
    await team.as('ada').call('push', { body: { to: 'ben', body: 'between us' } });
    const { messages } = await team.as('cy').call('history', { query: { with: 'ben' } });
    expect(messages.map(({ body }) => body)).not.toContain('between us');
  });

  it.each([
    ['several scopes', { with: 'ben', channel: 'general' }, 400],
    ['a cursor that is no time', { before: 'yesterday' }, 400],
    ['a negative cursor', { before: '-1' }, 400],
    ['a cursor after the last millisecond there is', { before: '9007199254740992' }, 400],
    ['beforeId alone', { beforeId: '01a1fbb1-63c9-7000-9c7d-d1bcdee4d60e' }, 400],
    ['a malformed beforeId', { before: '1', beforeId: 'x' }, 400],
    ['a limit of nought', { limit: '0' }, 400],
    ['an unknown member', { with: 'zoe' }, 404],
    ['an unknown channel', { channel: 'ch_0123456789' }, 404],
    ['an unknown objective', { objective: 'obj_0123456789' }, 404],
  ])('answers %s with a 4xx', async (_, query, status) => {
    const reply = await team.fetch(
      'ada',
      `/history?${new URLSearchParams(query as unknown as Record<string, string>)}`,
    );
    expect(reply.status).toBe(status);
  });

  it('refuses a parameter that is given twice', async () => {
    expect((await team.fetch('ada', '/history?limit=1&limit=2')).status).toBe(400);
  });
});
