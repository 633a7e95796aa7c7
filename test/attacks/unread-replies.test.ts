/** Clients that ask for much and read nothing (specification/streams.md#slow-readers). */
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeInPieces } from '../../broker/http/send-whole.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { type GuardedListeners, startGuardedListeners, transports } from './guarded-listeners.ts';

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
/** More than the buffers of two systems hold. */
const replyBytes = 64 * 1024 * 1024;

describe.each(transports)('a reply over %s that nobody reads', (transport) => {
  let listeners: GuardedListeners;
  let hits: string[];
  beforeEach(async () => {
    hits = [];
    listeners = await startGuardedListeners(
      (incoming, response) => {
        if (incoming.url === '/stream') listeners.guard.keepStream(incoming.socket);
        response.writeHead(200, { 'content-length': replyBytes });
        void writeInPieces(response, Buffer.alloc(replyBytes)).then(() => response.end());
      },
      { writeIdleMs: 300, onLimit: (kind) => void hits.push(kind) },
    );
  });
  afterEach(() => listeners.stop());

  it('is given up, and its connection is destroyed', async () => {
    const socket = await listeners.dial(transport);
    socket.pause().write(request);
    await expect.poll(() => hits).toEqual(['unread_reply']);
    await expect.poll(() => listeners.guard.open).toBe(0);
  });

  it('is given up although its client goes on sending', async () => {
    const socket = await listeners.dial(transport);
    socket.pause().write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
    const sending = setInterval(() => socket.write('x'), 20);
    await expect.poll(() => listeners.guard.open).toBe(0);
    clearInterval(sending);
    expect(hits).toContain('unread_reply');
  });

  it('arrives whole if it is read', async () => {
    const socket = await listeners.dial(transport);
    let read = 0;
    const whole = new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read >= replyBytes) resolve();
      });
    });
    socket.write(request);
    await whole;
    expect(hits).toEqual([]);
  });
});

describe('a member with as many streams and downloads as it may have', () => {
  let team: TestBroker;
  let sockets: Socket[];
  const content = Buffer.alloc(16 * 1024 * 1024, 'x');
  beforeEach(async () => {
    sockets = [];
    team = await startTestBroker({
      config: { files: { root: 'files' }, listen: { maxStreamsPerMember: 2, maxDownloadsPerMember: 2 } },
    });
    const written = await team.fetch('ada', '/fs/write?path=/ada/large', {
      method: 'POST',
      body: content,
      headers: { 'content-type': 'text/plain' },
    });
    expect(written.status).toBe(200);
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await team.stop();
  });

  /** A download whose reply has begun and is not read. */
  function unread(): Promise<Socket> {
    const socket = connect(Number(new URL(team.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.write(
      `GET /fs/read/ada/large HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${team.token('ada')}\r\n\r\n`,
    );
    return new Promise((resolve) => socket.once('data', () => resolve(socket.pause())));
  }

  it('is refused another stream, and gets one when one has ended', async () => {
    const streams = [await team.stream('ada'), await team.stream('ada')];
    const refused = await team.fetch('ada', '/subscribe?name=ada');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: 'rate_limited', reason: 'too_many_streams' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await team.stream('ben');
    streams[0]?.close();
    await expect.poll(async () => (await team.openStreams()).messages).toBe(2);
    await team.stream('ada');
  });

  it('is refused another download, and gets one when one has ended', async () => {
    const [first] = [await unread(), await unread()];
    const refused = await team.fetch('ada', '/fs/read/ada/large');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ reason: 'too_many_downloads' });
    first?.destroy();
    const status = async () => {
      const reply = await team.fetch('ada', '/fs/read/ada/large');
      await reply.body?.cancel();
      return reply.status;
    };
    await expect.poll(status).toBe(200);
  });
});
