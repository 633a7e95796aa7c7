import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const refusing = (status: number, reason: string) => (_: IncomingMessage, response: ServerResponse) =>
  response.writeHead(status).end(JSON.stringify({ error: 'unavailable', reason, message: 'not now' }));
const breaking: Answer = (request) => request.socket.destroy();
const answering: Answer = (_, response) => response.end('{"ok":true}');

/** Answers the requests in turn, and the further ones as the last one. */
async function serve(answers: readonly Answer[]): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers['idempotency-key'] ?? ''}`.trim());
    answers[Math.min(seen.length, answers.length) - 1]?.(request, response);
  });
  closing.push(() => void server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function send(url: string, wire: { method: string; key?: string }, options: Partial<HttpClientOptions> = {}) {
  const headers: Record<string, string> = wire.key === undefined ? {} : { 'idempotency-key': wire.key };
  const http = createHttpClient({ url, token: null, ...options });
  return http.send({
    method: wire.method,
    url: '/push',
    headers,
    ...(wire.method !== 'GET' && { body: '{}' }),
  });
}

describe('while another machine takes over', () => {
  it('a call is sent again until it is answered, because nothing was done', async () => {
    for (const reason of ['standing_by', 'not_confirmed']) {
      const { url, seen } = await serve([refusing(503, reason), refusing(503, reason), answering]);
      const reply = await send(url, { method: 'POST' });
      expect([reply.status, await reply.text(), seen]).toEqual([
        200,
        '{"ok":true}',
        ['POST', 'POST', 'POST'],
      ]);
    }
  });

  it('the refusal is the answer after ten seconds', async () => {
    const { url, seen } = await serve([refusing(503, 'standing_by')]);
    const reply = await send(url, { method: 'GET' });
    expect(reply.status).toBe(503);
    expect(seen.length).toBeGreaterThan(5);
  });
});

describe('a call that is refused for another reason', () => {
  it('is sent once', async () => {
    for (const answer of [refusing(503, 'storage_failed'), refusing(429, 'standing_by')]) {
      const { url, seen } = await serve([answer, answering]);
      expect((await send(url, { method: 'POST', key: 'k' })).status).not.toBe(200);
      expect(seen).toHaveLength(1);
    }
  });
});

describe('a call whose answer is lost', () => {
  it('is sent once more if it has a key, or changes nothing', async () => {
    for (const wire of [{ method: 'POST', key: 'k' }, { method: 'GET' }]) {
      const { url, seen } = await serve([breaking, answering]);
      expect((await send(url, wire)).status).toBe(200);
      expect(new Set(seen).size).toBe(1);
      expect(seen).toHaveLength(2);
    }
  });

  it('is sent once if it could be done twice', async () => {
    const { url, seen } = await serve([breaking, answering]);
    await expect(send(url, { method: 'POST' })).rejects.toMatchObject({ mayHaveArrived: true });
    expect(seen).toHaveLength(1);
  });

  it('may have arrived, although nothing answers anymore', async () => {
    const server = createServer((request) => {
      server.close();
      request.socket.destroy();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(send(`http://127.0.0.1:${port}`, { method: 'POST', key: 'k' })).rejects.toMatchObject({
      mayHaveArrived: true,
    });
  });

  it('is not sent again once its caller stops', async () => {
    const stop = new AbortController();
    const { url, seen } = await serve([
      (request) => {
        stop.abort();
        request.socket.destroy();
      },
      answering,
    ]);
    await expect(send(url, { method: 'GET' }, { signal: stop.signal })).rejects.toThrow();
    expect(seen).toHaveLength(1);
  });
});
