/** The gateway's reports about replies of the model: complete, refused, broken off, or partial, with the messages that the request carried. */
import type { RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sealOf } from '../delivery/message-seal.ts';
import { anthropicStream, sseText } from './testing/sse-text.ts';
import { ask, gatewayBefore } from './testing/test-gateway.ts';
import { bodyOf } from './testing/upstream.ts';

describe('what a model answered', () => {
  const id = '019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071';
  const carrying = (text: string, tools: object[] = [{ name: 'send' }]): string =>
    JSON.stringify({ model: 'claude-x', tools, messages: [{ role: 'user', content: text }] });
  const block = `<svc-message id="${id}" seal="${sealOf(id)}" from="ada">hello</svc-message>`;
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

  async function replyTo(body: Buffer | string, handle: RequestListener, headers = {}) {
    const { gateway, events, replies } = await gatewayBefore(handle);
    const response = await ask(`${gateway.url}/v1/messages`, { body, headers });
    await bodyOf(response);
    await expect.poll(() => events).toHaveLength(1);
    return replies[0];
  }

  const answer: RequestListener = async (request, response) => {
    await bodyOf(request);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(sseText(anthropicStream(['yes'])));
  };

  it('is reported with the messages that the request carried, however long and however encoded it is', async () => {
    const text = `${'x'.repeat(17_000_000)}${block} 2026-11-22T10:00:00.000Z ada → ben: hello`;
    const seen = await replyTo(gzipSync(carrying(text)), answer, { 'content-encoding': 'gzip' });
    expect(seen?.reply).toEqual({ kind: 'complete' });
    expect([...(seen?.carried.ids ?? [])]).toEqual([id]);
    expect(seen?.carried.texts.size).toBe(1);
  });

  it('is not reported for a request without tools, such as one for a title', async () => {
    expect(await replyTo(carrying(block, []), answer)).toBeUndefined();
  });

  it.each([
    ['an error status', 529, 'application/json', JSON.stringify(overloaded)],
    ['a stream that is only an error', 200, 'text/event-stream', sseText([overloaded])],
    [
      'a stream that begins and fails',
      200,
      'text/event-stream',
      sseText([...anthropicStream([]).slice(0, 1), overloaded]),
    ],
  ])('is a refusal after %s', async (_, status, type, text) => {
    const seen = await replyTo(carrying(block), async (request, response) => {
      await bodyOf(request);
      response.writeHead(status, { 'content-type': type }).end(text);
    });
    expect(seen).toMatchObject({
      reply: { kind: 'refused', refused: { status, type: 'overloaded_error', message: 'Overloaded' } },
    });
  });

  it('is a refusal without a status if there was no answer', async () => {
    const seen = await replyTo(carrying(block), (request) => void request.socket.destroy());
    expect(seen).toMatchObject({ reply: { kind: 'refused', refused: { status: null } } });
  });

  it('is broken off if it begins and fails, and partial if its end is missing', async () => {
    const begun = sseText(anthropicStream(['yes']).slice(0, -2));
    const failing = (end: (response: ServerResponse) => void) =>
      replyTo(carrying(block), async (request, response) => {
        await bodyOf(request);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(begun, () => end(response));
      });
    expect(await failing((response) => response.end(sseText([overloaded])))).toMatchObject({
      reply: { kind: 'broken', refused: { status: 200, type: 'overloaded_error' } },
    });
    expect((await failing((response) => response.end()))?.reply).toEqual({ kind: 'partial' });
  });

  it('is broken off without a status if its connection is reset', async () => {
    const { gateway, replies } = await gatewayBefore(async (request, response) => {
      await bodyOf(request);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sseText(anthropicStream(['yes']).slice(0, -2)), () =>
        response.socket?.resetAndDestroy(),
      );
    });
    const asked = await ask(`${gateway.url}/v1/messages`, { body: carrying(block) });
    await bodyOf(asked).catch(() => undefined);
    await expect
      .poll(() => replies[0])
      .toMatchObject({ reply: { kind: 'broken', refused: { status: null } } });
  });

  it.each([
    ['broken', 'the error of an answer that began', [...anthropicStream(['yes']).slice(0, -2), overloaded]],
    ['refused', 'an error', [overloaded]],
    ['complete', 'the end of an answer', anthropicStream(['yes'])],
    ['partial', 'the beginning of an answer', anthropicStream(['yes']).slice(0, -2)],
  ] as const)('is %s if the agent leaves at once after %s', async (kind, _, events) => {
    const { gateway, replies } = await gatewayBefore(async (request, response) => {
      await bodyOf(request);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(sseText(events));
    });
    const asked = await ask(`${gateway.url}/v1/messages`, { body: carrying(block) });
    let received = '';
    for await (const chunk of asked) {
      received += chunk;
      if (received === sseText(events)) break;
    }
    await expect.poll(() => replies[0]?.reply.kind).toBe(kind);
  });

  it.each([
    ['complete', 'that ends', []],
    ['broken', 'that fails at its end', [overloaded]],
  ] as const)('is %s after a stream of any length %s', async (kind, _, end) => {
    const stream = anthropicStream(Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024)));
    const events = end.length === 0 ? stream : [...stream.slice(0, -1), ...end];
    const { gateway, next, replies } = await gatewayBefore(async (request, response) => {
      await bodyOf(request);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(sseText(events));
    });
    await bodyOf(await ask(`${gateway.url}/v1/messages`, { body: carrying(block) }));
    expect(await next()).toMatchObject({ entry: { isCut: true, response: { usage: { outputTokens: 7 } } } });
    expect(replies[0]?.reply.kind).toBe(kind);
  });

  it('is reported for each of many requests at once, of which not all are kept', async () => {
    const waiting: ServerResponse[] = [];
    const { gateway, events, replies } = await gatewayBefore(async (request, response) => {
      await bodyOf(request);
      waiting.push(response);
    });
    const asked = Array.from({ length: 20 }, async () =>
      bodyOf(
        await ask(`${gateway.url}/v1/messages`, { body: carrying(`${'x'.repeat(1024 * 1024)}${block}`) }),
      ),
    );
    await expect.poll(() => waiting).toHaveLength(20);
    // All requests are held at once; an answer then finds the room that the exchanges before it released.
    for (const [index, response] of waiting.entries()) {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(sseText(anthropicStream(['y'.repeat(1024 * 1024)])));
      await expect.poll(() => events).toHaveLength(index + 1);
    }
    await Promise.all(asked);
    const isWhole = ({ entry }: { entry: object }) => !('isCut' in entry);
    expect(events.filter((event) => 'entry' in event && isWhole(event)).length).toBeGreaterThan(0);
    expect(events.filter((event) => 'entry' in event && !isWhole(event)).length).toBeGreaterThan(0);
    expect(replies.map(({ reply }) => reply.kind)).toEqual(Array(20).fill('complete'));
    for (const { carried } of replies) expect([...carried.ids]).toEqual([id]);
  });

  it('is neither if the agent gave the request up', async () => {
    const reached = Promise.withResolvers<void>();
    const { gateway, events, replies } = await gatewayBefore((request) => {
      request.resume();
      reached.resolve();
    });
    const aborting = new AbortController();
    const { signal } = aborting;
    const asked = fetch(`${gateway.url}/v1/messages`, { method: 'POST', body: carrying(block), signal });
    await reached.promise;
    aborting.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => events).toHaveLength(1);
    expect(replies).toEqual([]);
  });
});
