import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '#protocol/client.ts';
import { ConnectionError } from './connection-error.ts';
import { createHttpClient } from './http-client.ts';

const token = 'svc_very-secret';
const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server) {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `127.0.0.1:${address.port}`;
}
const serve = async (listener: RequestListener) => `http://${await listen(createServer(listener))}`;

async function failure(
  url: string,
  options: { timeoutMs?: number; token?: string } = {},
): Promise<ConnectionError> {
  const http = createHttpClient({ url, token, ...options });
  const error = await createClient(http.send)
    .call('health', {})
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  if (!(error instanceof ConnectionError)) throw new Error(`not a ConnectionError: ${error}`);
  expect(error.message).not.toContain('secret');
  expect(error.message).not.toContain('\n');
  return error;
}

describe('a call', () => {
  it('carries the token and X-SVC-Protocol: 1, below the path of the address', async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push([request.url, request.headers.authorization, request.headers['x-svc-protocol']]);
      response.end('{"status":"ok","version":"1.2.3"}');
    });
    const http = createHttpClient({ url: `${url}/broker/`, token });
    expect(await createClient(http.send).call('health', {})).toEqual({ status: 'ok', version: '1.2.3' });
    expect(seen).toEqual([['/broker/healthz', `Bearer ${token}`, '1']]);
  });

  it('never sends the token to another address', async () => {
    let reached = false;
    const elsewhere = await serve((_, response) => {
      reached = true;
      response.end('{}');
    });
    const url = await serve((_, response) => response.writeHead(307, { location: elsewhere }).end());
    const http = createHttpClient({ url, token });
    await expect(createClient(http.send).call('health', {})).rejects.toThrow('is not a broker');
    expect(reached).toBe(false);
  });

  it.each(['<html>hello</html>', ''])(
    'that is answered with 200 and %j says that there is no broker',
    async (text) => {
      const url = await serve((_, response) => response.end(text));
      const client = createClient(createHttpClient({ url, token }).send);
      await expect(client.call('roster', {})).rejects.toMatchObject({
        code: 'unavailable',
        reason: null,
        message: 'the address answered 200 and is not a broker',
      });
    },
  );

  it('that is refused says how to start a broker', async () => {
    // A port that the system assigns to nobody.
    const url = 'http://127.0.0.1:1';
    const error = await failure(url);
    expect(error.reason).toBe('refused');
    expect(error.message).toContain(`nothing answers at ${url}`);
    expect(error.mayHaveArrived).toBe(false);
  });

  it('to an unknown host says to check the address', async () => {
    expect((await failure('http://nowhere.invalid', { timeoutMs: 100_000 })).reason).toBe('unreachable');
  });

  it('that is not answered in time says so, and may have arrived', async () => {
    const url = await serve((_, response) => response.writeHead(200).write('{'));
    const error = await failure(url, { timeoutMs: 50 });
    expect(error.message).toBe(`${url} did not answer within 0.05 seconds; try again, or check the broker`);
    expect(error.mayHaveArrived).toBe(true);
  });

  it('whose connection breaks says so, and may have arrived', async () => {
    const url = await serve((request) => request.socket.destroy());
    const error = await failure(url);
    expect(error.reason).toBe('broken');
    expect(error.mayHaveArrived).toBe(true);
  });

  it('over TLS to something else says what to check', async () => {
    const server = createSocketServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect((await failure(`https://${await listen(server)}`)).reason).toBe('tls');
  });
});
