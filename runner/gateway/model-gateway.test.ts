/** Requests to the model and its answers, as the gateway passes them on; exchange-reports.test.ts and model-reply.test.ts have the reports about them. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ActivityEvent } from '#protocol/activity.ts';
import { AgentError } from '../agents/agent.ts';
import { anthropicStream, sseText } from './testing/sse-text.ts';
import { ask, gatewayBefore, gatewayTo, key, question } from './testing/test-gateway.ts';
import { bodyOf, startUpstream } from './testing/upstream.ts';
import { startTraceProxy } from './trace-proxy.ts';

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
});
