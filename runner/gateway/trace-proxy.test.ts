import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { connect, createServer } from 'node:net';
import { ProxyAgent, fetch as undiciFetch } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ActivityEvent } from '#protocol/activity.ts';
import { startUpstream } from './testing/upstream.ts';
import { startTraceProxy } from './trace-proxy.ts';

async function startProxy(env: Record<string, string> = {}) {
  const events: ActivityEvent[] = [];
  const proxy = await startTraceProxy({
    onOpaque: (event) => events.push(ActivityEvent.parse(event)),
    now: Date.now,
    log: () => undefined,
    env,
  });
  onTestFinished(() => proxy.close());
  const next = async (count = 1): Promise<ActivityEvent> => {
    await expect.poll(() => events).toHaveLength(count);
    return events[count - 1]!;
  };
  return { proxy, events, next };
}

async function echoServer(): Promise<string> {
  const server = createServer((socket) => socket.pipe(socket).on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
}

function openTunnel(proxyUrl: string, place: string, credentials?: string) {
  const { port, username, password } = new URL(proxyUrl);
  const authorization = credentials ?? `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(
    `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\nProxy-Authorization: ${authorization}\r\n\r\n`,
  );
  return socket;
}

describe('the proxy of --trace-http', () => {
  it('carries a tunnel both ways, and reports only its host and times', async () => {
    const place = await echoServer();
    const { proxy, events, next } = await startProxy();
    const socket = openTunnel(proxy.url, place);
    const [greeting] = (await once(socket, 'data')) as [Buffer];
    expect(greeting.toString()).toBe('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.write('secret words');
    expect(String((await once(socket, 'data'))[0])).toBe('secret words');
    expect(events).toEqual([]);
    socket.end();
    const event = await next();
    expect(event).toEqual({
      kind: 'opaque_http',
      ts: expect.any(Number),
      duration: expect.any(Number),
      entry: {
        kind: 'opaque_http',
        startedAt: expect.any(Number),
        endedAt: expect.any(Number),
        host: place,
        method: 'CONNECT',
        url: place,
        status: 200,
        requestHeaders: {},
        responseHeaders: {},
        requestBodyPreview: null,
        responseBodyPreview: null,
      },
    });
  });

  it('reports plain requests masked, and passes them on without its own credentials', async () => {
    const seen: string[] = [];
    const upstream = await startUpstream((request, response) => {
      seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.writeHead(201, { 'content-type': 'text/plain' }).end('made');
    });
    onTestFinished(() => upstream.close());
    const { proxy, next } = await startProxy();
    const { port, username, password } = new URL(proxy.url);
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const response = await new Promise<number | undefined>((resolve) => {
      requestHttp({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: `${upstream.url}/a?token=abc`,
        headers: { host: upstream.host, 'proxy-authorization': authorization, 'content-type': 'text/plain' },
      })
        .once('response', (incoming) => resolve(incoming.resume().statusCode))
        .end('what I say');
    });
    expect(response).toBe(201);
    expect(seen[0]).toMatch(/^POST \/a\?token=abc /);
    expect(seen[0]).not.toContain('proxy-');
    expect(await next()).toMatchObject({
      entry: {
        host: upstream.host,
        method: 'POST',
        url: `${upstream.url}/a?token=[masked]`,
        status: 201,
        requestHeaders: { 'proxy-authorization': '[masked]' },
        requestBodyPreview: 'what I say',
        responseBodyPreview: 'made',
      },
    });
  });

  it('works for a client that uses its address with credentials', async () => {
    const upstream = await startUpstream((_request, response) => response.end('through'));
    onTestFinished(() => upstream.close());
    const { proxy, next } = await startProxy();
    const dispatcher = new ProxyAgent({ uri: proxy.url, proxyTunnel: true });
    expect(await (await undiciFetch(upstream.url, { dispatcher })).text()).toBe('through');
    await dispatcher.close();
    expect(await next()).toMatchObject({ entry: { method: 'CONNECT', host: upstream.host, status: 200 } });
  });

  it('is closed to clients without its credentials, and reports nothing about them', async () => {
    const place = await echoServer();
    const { proxy, events } = await startProxy();
    const socket = openTunnel(proxy.url, place, 'Basic c3ZjOndyb25n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 407 /);
    const { port } = new URL(proxy.url);
    const plain = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void plain.destroy());
    plain.write(`GET http://${place}/ HTTP/1.1\r\nHost: ${place}\r\n\r\n`);
    expect(String((await once(plain, 'data'))[0])).toMatch(/^HTTP\/1.1 407 /);
    expect(events).toEqual([]);
  });

  it('answers 502 if the host does not exist, and reports that', async () => {
    const upstream = await startUpstream(() => undefined);
    await upstream.close();
    const { proxy, next } = await startProxy();
    const socket = openTunnel(proxy.url, upstream.host);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 502 /);
    expect(await next()).toMatchObject({ entry: { host: upstream.host, status: 502 } });
  });

  it('ends its tunnels with itself, and reports them', async () => {
    const place = await echoServer();
    const { proxy, events } = await startProxy();
    const socket = openTunnel(proxy.url, place);
    await once(socket, 'data');
    await proxy.close();
    expect(events).toHaveLength(1);
    socket.on('error', () => undefined);
    if (!socket.closed) await once(socket, 'close');
  });

  it('is set for both protocols, and loopback bypasses it', async () => {
    const { proxy } = await startProxy({ NO_PROXY: 'intranet' });
    expect(proxy.env).toEqual({
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      http_proxy: proxy.url,
      https_proxy: proxy.url,
      NO_PROXY: '127.0.0.1,localhost,::1,intranet',
      no_proxy: '127.0.0.1,localhost,::1,intranet',
    });
  });

  it('is refused if another proxy is set, which requests would bypass', async () => {
    await expect(startProxy({ https_proxy: 'http://corporate' })).rejects.toThrow(
      '--trace-http cannot be used while https_proxy names a proxy. Omit the option, or unset the variable.',
    );
  });
});
