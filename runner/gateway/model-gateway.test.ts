import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  type IncomingMessage,
  type RequestListener,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ActivityEvent } from '#protocol/activity.ts';
import { AgentError } from '../agents/agent.ts';
import { sealOf } from '../delivery/message-seal.ts';
import type { CarriedTexts } from './carried-texts.ts';
import { startModelGateway } from './model-gateway.ts';
import type { ModelReply } from './model-reply.rules.ts';
import { anthropicStream, sseText } from './testing/sse-text.ts';
import { bodyOf, startUpstream } from './testing/upstream.ts';
import { startTraceProxy } from './trace-proxy.ts';

const key = `sk-ant-api03-${'aB3'.repeat(12)}`;
const question = JSON.stringify({ model: 'claude-x', messages: [{ role: 'user', content: 'hello' }] });

async function gatewayTo(
  url: string,
  api: 'anthropic' | 'openai' = 'anthropic',
  env: Record<string, string> = {},
) {
  const events: ActivityEvent[] = [];
  const flights: number[] = [];
  const logged: string[] = [];
  const replies: { reply: ModelReply; carried: CarriedTexts }[] = [];
  const take = (event: ActivityEvent): void => {
    expect(ActivityEvent.parse(event)).toEqual(event);
    expect(JSON.stringify(event)).not.toContain(key);
    events.push(event);
  };
  const gateway = await startModelGateway({
    upstream: { url, api },
    onExchange: take,
    onOpaque: take,
    onFlight: (count) => flights.push(count),
    onReply: (reply, carried) => replies.push({ reply, carried }),
    wantedTexts: () => ['2026-11-22T10:00:00.000Z ada'],
    now: Date.now,
    log: (event, data) => logged.push(JSON.stringify({ event, ...data })),
    env,
  });
  onTestFinished(() => gateway.close());
  const next = async (count = 1): Promise<ActivityEvent> => {
    await expect.poll(() => events).toHaveLength(count);
    return events[count - 1]!;
  };
  return { gateway, events, flights, replies, logged, next };
}

async function gatewayBefore(handle: RequestListener) {
  const upstream = await startUpstream(handle);
  onTestFinished(() => upstream.close());
  return { upstream, ...(await gatewayTo(upstream.url)) };
}

/** A request as it is, without what fetch would add. */
function ask(
  url: string,
  options: { method?: string; headers?: string[] | Record<string, string>; body?: Buffer | string },
) {
  const { body, method = 'POST', headers = {} } = options;
  const { hostname, port, pathname, search } = new URL(url);
  const request = requestHttp({ hostname, port, path: pathname + search, method, headers });
  request.end(body);
  return new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
}

describe('the gateway to the model', () => {
  it('passes a request with its path, headers, and body unchanged, and the answer with its own', async () => {
    const seen: { url: string | undefined; headers: string[]; body: Buffer }[] = [];
    const answer = randomBytes(300_000);
    const { upstream, gateway } = await gatewayBefore(async (request, response) => {
      seen.push({ url: request.url, headers: request.rawHeaders, body: await bodyOf(request) });
      response.writeHead(207, 'Fine', [
        'X-One',
        '1',
        'X-One',
        '2',
        'Request-Id',
        'r',
        'Content-Length',
        String(answer.length),
      ]);
      response.end(answer);
    });
    const body = randomBytes(500_000);
    const { host } = new URL(gateway.url);
    const headers = ['Host', host, 'X-Api-Key', key, 'anthropic-beta', 'a,b', 'X-Two', '1', 'X-Two', '2'];
    const response = await ask(`${gateway.url}/v1/messages?beta=true&x=%2F..`, {
      headers: [
        ...headers,
        'Connection',
        'keep-alive, X-Hop',
        'X-Hop',
        '1',
        'Content-Length',
        String(body.length),
      ],
      body,
    });
    expect(response.statusCode).toBe(207);
    expect(response.statusMessage).toBe('Fine');
    expect(response.rawHeaders.slice(0, 8)).toEqual([
      'X-One',
      '1',
      'X-One',
      '2',
      'Request-Id',
      'r',
      'Content-Length',
      '300000',
    ]);
    expect(Buffer.compare(await bodyOf(response), answer)).toBe(0);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.url).toBe('/v1/messages?beta=true&x=%2F..');
    expect(Buffer.compare(seen[0]!.body, body)).toBe(0);
    const passed = seen[0]!.headers.join('\n');
    expect(passed).toContain(`X-Api-Key\n${key}\nanthropic-beta\na,b\nX-Two\n1\nX-Two\n2`);
    expect(passed).toContain(`Host\n${upstream.host}`);
    expect(passed).not.toMatch(/X-Hop/i);
  });

  it('keeps the path of the upstream address before the agent’s own', async () => {
    const upstream = await startUpstream((request, response) => response.end(request.url));
    onTestFinished(() => upstream.close());
    const { gateway } = await gatewayTo(`${upstream.url}/api/v1/`, 'openai');
    expect(await (await fetch(`${gateway.url}/models?a=b`)).text()).toBe('/api/v1/models?a=b');
  });

  it('keeps a query of the upstream address as well', async () => {
    const upstream = await startUpstream((request, response) => response.end(request.url));
    onTestFinished(() => upstream.close());
    const { gateway } = await gatewayTo(`${upstream.url}/api/?version=1`, 'openai');
    expect(await (await fetch(`${gateway.url}/models?a=b?c`)).text()).toBe('/api/models?version=1&a=b?c');
    expect(await (await fetch(`${gateway.url}/models`)).text()).toBe('/api/models?version=1');
    expect(await (await fetch(gateway.url)).text()).toBe('/api?version=1');
  });

  it.each(['no address', 'localhost:1234', 'ftp://host/', 'http://ben:hunter2@host/'])(
    'says immediately that %j is not the address of a model, and does not repeat it',
    async (url) => {
      const error = await gatewayTo(url).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AgentError);
      expect(inspect(error)).toContain('--model-url');
      expect(inspect(error)).not.toContain('hunter2');
    },
  );

  it('passes on headers byte for byte', async () => {
    const { gateway } = await gatewayBefore((_request, response) => {
      response.writeHead(200, ['X-Name', 'Gr\u00fc\u00df']).end('x');
    });
    expect((await ask(`${gateway.url}/x`, { method: 'GET' })).headers['x-name']).toBe('Gr\u00fc\u00df');
  });

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

  it('passes on each piece of an answer as it arrives, and reports the whole exchange once', async () => {
    let send: (text: string) => void = () => undefined;
    let end: () => void = () => undefined;
    const { gateway, next, events, flights } = await gatewayBefore(async (request, response) => {
      await bodyOf(request);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      send = (text) => response.write(text);
      end = () => response.end();
    });
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: question,
    });
    expect(flights).toEqual([1]);
    const reader = response.body!.getReader();
    const text = sseText(anthropicStream([`my key is ${key.slice(0, 9)}`, key.slice(9), ' ✓']));
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 97) {
      // In pieces that cut events, lines, and characters.
      const piece = bytes.subarray(at, at + 97);
      send(piece as unknown as string);
      let got = Buffer.alloc(0);
      while (got.length < piece.length) got = Buffer.concat([got, (await reader.read()).value!]);
      expect(got.equals(piece)).toBe(true);
    }
    expect(events).toHaveLength(0);
    end();
    expect((await reader.read()).done).toBe(true);
    expect(await next()).toMatchObject({
      kind: 'llm_exchange',
      entry: {
        kind: 'anthropic_messages',
        provider: 'anthropic',
        model: 'claude-x',
        request: { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] },
        response: {
          messages: [{ content: [{ type: 'text', text: 'my key is [masked] ✓' }] }],
          stopReason: 'end_turn',
        },
      },
    });
    expect(flights).toEqual([1, 0]);
  });

  it('ends the request to the model when the agent disconnects, and reports what arrived', async () => {
    const gone = Promise.withResolvers<void>();
    const { gateway, next, flights } = await gatewayBefore((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sseText(anthropicStream(['Hel', 'lo']).slice(0, 3)));
      response.once('close', () => gone.resolve());
    });
    const leave = new AbortController();
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      body: question,
      signal: leave.signal,
    });
    await response.body!.getReader().read();
    leave.abort();
    await gone.promise;
    expect(await next()).toMatchObject({
      entry: {
        isBroken: true,
        failure: expect.stringContaining('the agent closed'),
        response: { messages: [{ content: [{ text: 'Hel' }] }] },
      },
    });
    expect(flights).toEqual([1, 0]);
  });

  it('interrupts the answer for the agent when the model interrupts it', async () => {
    const { gateway, next } = await gatewayBefore((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sseText(anthropicStream(['Hel']).slice(0, 3)));
      setImmediate(() => response.destroy());
    });
    const response = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', body: question });
    await expect(response.text()).rejects.toThrow();
    expect(await next()).toMatchObject({
      entry: { isBroken: true, failure: expect.stringContaining('too early') },
    });
  });

  it('answers 502 with one sentence if the model cannot be reached, and still reports the exchange', async () => {
    const upstream = await startUpstream(() => undefined);
    await upstream.close();
    const { gateway, next, logged } = await gatewayTo(upstream.url);
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: question,
    });
    expect(response.status).toBe(502);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toBe(
      `${upstream.url} cannot be reached (ECONNREFUSED). Check the network, and the address in --model-url or in the agent's settings.`,
    );
    expect(await next()).toMatchObject({
      entry: { response: null, httpStatus: null, failure: error.message },
    });
    expect(logged.join()).not.toContain(new URL(gateway.url).pathname);
  });

  it.each([
    ['099 Odd', 'not valid HTTP'],
    ['000 Odd', 'not valid HTTP'],
    ['200 O\u0001K', 'not valid HTTP'],
    ['101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: odd', 'gave no answer'],
  ])('answers 502 if the model answers with the status line %j', async (line, sentence) => {
    const upstream = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(`HTTP/1.1 ${line}\r\nContent-Length: 2\r\n\r\nhi`));
    });
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void upstream.close());
    const { gateway, next } = await gatewayTo(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
    const response = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', body: question });
    expect(response.status).toBe(502);
    expect(await response.text()).toContain(sentence);
    expect(await next()).toMatchObject({ entry: { httpStatus: null } });
  });

  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])(
    'reaches the model through the proxy that the person has set in %s',
    async (variable) => {
      const upstream = await startUpstream(async (request, response) => {
        response.end(`${request.url} ${await bodyOf(request)}`);
      });
      onTestFinished(() => upstream.close());
      const passed: ActivityEvent[] = [];
      const log = () => undefined;
      const proxy = await startTraceProxy({ onOpaque: (event) => passed.push(event), now: Date.now, log });
      onTestFinished(() => proxy.close());
      const { gateway, next } = await gatewayTo(upstream.url, 'openai', { [variable]: proxy.url });
      const response = await fetch(`${gateway.url}/v1/embeddings`, {
        method: 'POST',
        body: 'x'.repeat(100_000),
      });
      expect(await response.text()).toBe(`/v1/embeddings ${'x'.repeat(100_000)}`);
      await next();
      await expect.poll(() => passed).toHaveLength(1);
      expect(passed[0]).toMatchObject({ entry: { url: `${upstream.url}/v1/embeddings` } });
    },
  );

  it.each(['http', 'https'])('says what is wrong with a proxy, without its password (%s)', async (scheme) => {
    const proxy = 'http://ben:hunter2@[bad';
    const start = gatewayTo(`${scheme}://127.0.0.1:1`, 'anthropic', {
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
    });
    const error = await start.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AgentError);
    expect(inspect(error)).not.toContain('hunter2');
  });

  it('rejects requests without its secret, and requests for other host names', async () => {
    let asked = 0;
    const { gateway, events } = await gatewayBefore((_request, response) => {
      asked += 1;
      response.end('x');
    });
    const { origin, pathname } = new URL(gateway.url);
    expect(pathname).toMatch(/^\/[\w-]{32}$/);
    for (const path of [
      '/v1/messages',
      `${pathname.slice(0, -1)}/v1/messages`,
      `${pathname}x/v1/messages`,
      '/',
      '/%2e',
    ])
      expect((await ask(origin + path, {})).statusCode).toBe(404);
    for (const host of ['evil.example', `evil.example:${new URL(origin).port}`, '127.0.0.1'])
      expect((await ask(`${gateway.url}/v1/messages`, { headers: { host } })).statusCode).toBe(403);
    expect(asked).toBe(0);
    expect(events).toEqual([]);
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
