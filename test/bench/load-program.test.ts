import { rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadProgram, type RequestLoad, runLoadProgram, type StreamLoad, stamp } from './load-program.ts';

const program = loadProgram();

async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Answers each request with these bytes, in two pieces. */
async function replying(reply: string): Promise<number> {
  const sockets: Socket[] = [];
  const server = createNetServer((socket) => {
    sockets.push(socket.setNoDelay(true).on('error', () => undefined));
    socket.on('data', () => {
      socket.write(reply.slice(0, reply.length / 2));
      setImmediate(() => socket.write(reply.slice(reply.length / 2)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const load = (port: number): RequestLoad => ({
  port,
  connections: 4,
  warmUpMs: 10,
  durationMs: 200,
  request: 'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
});

const run = (one: RequestLoad | StreamLoad) => runLoadProgram(program!, one);

/** A busy machine may answer nothing while a short load lasts, which is then repeated. */
const eventually = (one: RequestLoad | StreamLoad) => expect.poll(() => run(one));

describe.skipIf(program === null)('the load program', () => {
  afterAll(() => rmSync(dirname(program!), { recursive: true }));

  it.each([
    ['whose length is declared', `HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n'],
    [
      'in chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n12345\r\n0\r\n\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    ],
  ])('reads replies %s to their end', async (_, reply) => {
    const port = await replying(reply);
    await eventually(load(port)).toMatchObject({ failed: 0, bytes: reply.length });
  });

  it('does not count refusals as replies', async () => {
    const port = await listening((_, response) => response.writeHead(429).end());
    await eventually(load(port)).toMatchObject({ perSecond: 0, failed: expect.toSatisfy((n) => n > 0) });
  });

  it('sends at most as many requests as its rate allows', async () => {
    let requests = 0;
    const port = await listening((_, response) => {
      requests += 1;
      response.end();
    });
    await run({ ...load(port), rate: 50, warmUpMs: 100, durationMs: 200 });
    expect(requests).toBeLessThanOrEqual(50 * 0.3 + 2);
  });

  it('counts the frames that all streams receive', async () => {
    const streams: { write(text: string): void }[] = [];
    const port = await listening((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200);
        response.write('open\n');
        streams.push(response);
        return;
      }
      request.on('data', (body: Buffer) => {
        // In two pieces, so that a stream has to put the stamp together.
        for (const stream of streams) stream.write(String(body).slice(0, 9));
        for (const stream of streams) stream.write(String(body).slice(9));
        response.end();
      });
    });
    const publishing: StreamLoad = {
      ...load(port),
      connections: 1,
      protocol: 'http',
      streams: 3,
      opening: 'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
      opened: 'open',
      request: `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${stamp.length}\r\n\r\n${stamp}`,
    };
    await eventually(publishing).toMatchObject({
      failed: 0,
      framesPerSecond: expect.toSatisfy((n) => n > 0),
      frame: { maxUs: expect.toSatisfy((us) => us >= 0) },
    });
  });

  it('says that a server ended a connection', async () => {
    const port = await listening((request) => request.socket.destroy());
    await expect(run(load(port))).rejects.toThrow('without a result');
  });
});
