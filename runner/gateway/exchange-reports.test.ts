/** The gateway's reports about exchanges with the model: encoded, large, interrupted, and opaque ones. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { anthropicStream, sseText } from './testing/sse-text.ts';
import { ask, gatewayBefore, key, question } from './testing/test-gateway.ts';
import { bodyOf } from './testing/upstream.ts';

describe('the gateway to the model', () => {
  it('reads a stream whose last event has no empty line after it, whatever the case of its type', async () => {
    const { gateway, next } = await gatewayBefore(async (request, response) => {
      await bodyOf(request);
      response.writeHead(200, { 'content-type': 'Text/Event-Stream', 'content-encoding': 'deflate' });
      response.end(deflateRawSync(`: hello\n\n${sseText(anthropicStream(['all'])).trimEnd()}`));
    });
    await bodyOf(await ask(`${gateway.url}/v1/messages`, { body: question }));
    const event = await next();
    expect(event).toMatchObject({ entry: { response: { messages: [{ content: [{ text: 'all' }] }] } } });
    expect(event).not.toHaveProperty('entry.isBroken');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('requests an unencoded answer, but also reads one in %s', async (encoding, compress) => {
    let accepted: string | undefined;
    const compressed = compress(Buffer.from(sseText(anthropicStream(['packed']))));
    const { gateway, next } = await gatewayBefore((request, response) => {
      accepted = request.headers['accept-encoding'];
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
      response.end(compressed);
    });
    const response = await ask(`${gateway.url}/v1/messages`, {
      headers: { 'accept-encoding': 'gzip, br, zstd', 'content-encoding': encoding },
      body: compress(Buffer.from(question)),
    });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect((await bodyOf(response)).equals(compressed)).toBe(true);
    expect(accepted).toBe('identity');
    expect(await next()).toMatchObject({
      entry: { model: 'claude-x', response: { messages: [{ content: [{ text: 'packed' }] }] } },
    });
  });

  it('passes on bodies of any size and keeps 12 MiB of each, also if a few bytes expand to gigabytes', async () => {
    const { gateway, next } = await gatewayBefore(async (request, response) => {
      const hash = createHash('sha256');
      for await (const chunk of request) hash.update(chunk as Buffer);
      response.writeHead(200, { 'content-type': 'application/json', 'x-hash': hash.digest('hex') });
      response.end('{"type":"message","content":[]}');
    });
    const body = randomBytes(20 * 1024 * 1024);
    const response = await ask(`${gateway.url}/v1/messages`, { body });
    expect(response.headers['x-hash']).toBe(createHash('sha256').update(body).digest('hex'));
    response.resume();
    expect(await next()).toMatchObject({ entry: { isCut: true, model: null, httpStatus: 200 } });
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024));
    (
      await ask(`${gateway.url}/v1/messages`, { body: bomb, headers: { 'content-encoding': 'gzip' } })
    ).resume();
    expect(await next(2)).toMatchObject({ entry: { isCut: true } });
  });

  it('reports every other request as opaque, masked, with short previews', async () => {
    const { upstream, gateway, next, flights } = await gatewayBefore(async (request, response) => {
      await bodyOf(request);
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': `session=${key}` });
      response.end(request.method === 'HEAD' ? undefined : `{"token":"${key}","rest":"${'x'.repeat(9000)}"}`);
    });
    await ask(`${gateway.url}/`, { method: 'HEAD' });
    expect(await next()).toMatchObject({
      kind: 'opaque_http',
      entry: {
        host: upstream.host,
        method: 'HEAD',
        url: `${upstream.url}/`,
        status: 200,
        requestBodyPreview: null,
        responseBodyPreview: null,
      },
    });
    const counted = await ask(`${gateway.url}/v1/messages/count_tokens?key=abc`, {
      headers: { 'x-api-key': key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ a: `${'y'.repeat(2039)} ${key}` }),
    });
    counted.resume();
    await once(counted, 'end');
    const event = await next(2);
    if (event.kind !== 'opaque_http') throw new Error(event.kind);
    const { entry } = event;
    expect(entry).toMatchObject({
      url: `${upstream.url}/v1/messages/count_tokens?key=[masked]`,
      requestHeaders: { 'x-api-key': '[masked]', authorization: '[masked]' },
      responseHeaders: { 'set-cookie': '[masked]' },
    });
    expect(entry.requestBodyPreview).toHaveLength(2049);
    expect(entry.requestBodyPreview).not.toContain('sk-');
    expect(entry.responseBodyPreview).toMatch(/^{"token":"\[masked\]","rest":"x+…$/);
    expect(flights).toEqual([]);
  });

  it('counts the exchanges in progress, and reports those that closing it interrupts', async () => {
    let asked = 0;
    const { gateway, events, flights } = await gatewayBefore(() => {
      asked += 1;
    });
    const calls = [1, 2].map(() =>
      fetch(`${gateway.url}/v1/messages`, { method: 'POST', body: question }).catch(() => null),
    );
    await expect.poll(() => asked).toBe(2);
    expect(flights).toEqual([1, 2]);
    await gateway.close();
    await Promise.all(calls);
    expect(flights).toEqual([1, 2, 1, 0]);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ entry: { model: 'claude-x', response: null } });
  });
});
