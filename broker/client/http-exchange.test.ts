import { getEventListeners, once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type ExchangeRequest, exchange } from './http-exchange.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function ask(url: string, request: Partial<ExchangeRequest> = {}) {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return exchange(url, {
    method: 'GET',
    headers: {},
    signal: new AbortController().signal,
    agent,
    ...request,
  });
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return text;
}

it.each(['POST', 'DELETE', 'PATCH', 'PUT'])(
  'a %s carries its body with its length, or says that it has none',
  async (method) => {
    const seen: unknown[] = [];
    const url = await serve(async (request, response) => {
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
      seen.push([await bodyOf(request), length, coding]);
      response.end('{}');
    });
    await ask(url, { method, body: '{"a":"ü"}' });
    await ask(url, { method });
    await ask(url, { method, body: new Uint8Array([65, 66]) });
    expect(seen).toEqual([
      ['{"a":"ü"}', '10', undefined],
      ['', '0', undefined],
      ['AB', '2', undefined],
    ]);
  },
);

it('sends a body in pieces as they arrive, and releases its source when the connection breaks', async () => {
  let isReleased = false;
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(65_536);
    } finally {
      isReleased = true;
    }
  }
  const url = await serve((request) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > 1_000_000) request.socket.destroy();
    });
  });
  await expect(ask(url, { method: 'POST', body: endless() })).rejects.toThrow();
  await expect.poll(() => isReleased).toBe(true);
});

it('returns a refusal that arrives while the body is still being sent', async () => {
  async function* slow() {
    yield Buffer.from('first');
    await new Promise(() => undefined);
  }
  const url = await serve((_request, response) => response.writeHead(413).end('too large'));
  const agent = new Agent({ keepAlive: true });
  const reply = await ask(url, { method: 'POST', body: slow(), agent });
  expect([reply.status, reply.ok, await reply.text()]).toEqual([413, false, 'too large']);
  // Its end is not waited for either, because the connection would keep the process.
  await expect.poll(() => Object.keys(agent.sockets)).toEqual([]);
});

it('passes on what the source of a body throws', async () => {
  async function* broken() {
    yield Buffer.from('first');
    throw new Error('the disk is gone');
  }
  const url = await serve((request) => void request.resume());
  await expect(ask(url, { method: 'POST', body: broken() })).rejects.toThrow('the disk is gone');
});

it('ends the wait for the headers and the body on abort, with the signal’s own reason', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/body') response.writeHead(200).write('begun');
  });
  const one = new AbortController();
  const waiting = ask(`${url}/headers`, { signal: one.signal });
  one.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(ask(url, { signal: one.signal })).rejects.toThrow('enough');
  const two = new AbortController();
  const reply = await ask(`${url}/body`, { signal: two.signal });
  const body = reply.body();
  expect(String((await body.next()).value)).toBe('begun');
  const next = body.next();
  two.abort(new Error('enough of it'));
  await expect(next).rejects.toThrow('enough of it');
});

it('leaves nothing of a finished request at a signal that outlives it', async () => {
  const url = await serve((_, response) => response.end('{}'));
  const { signal } = new AbortController();
  await (await ask(url, { method: 'POST', body: 'x'.repeat(1000), signal })).text();
  await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
});

it('does not treat a reply as complete that ends early', async () => {
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
    request.socket.end();
  });
  await expect((await ask(url)).text()).rejects.toThrow();
});

it('returns a redirect as an answer, and finds headers whatever their case', async () => {
  const url = await serve((_request, response) => response.writeHead(307, { Location: '/there' }).end());
  const reply = await ask(url);
  expect([reply.status, reply.headers.get('LOCATION'), reply.headers.get('etag')]).toEqual([
    307,
    '/there',
    null,
  ]);
});

it('reuses a connection', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('x');
  });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  for (let n = 0; n < 3; n++) await (await ask(url, { agent })).text();
  expect(ports.size).toBe(1);
});
