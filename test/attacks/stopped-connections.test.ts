/** Clients that go on sending while Node has stopped their connection (specification/api.md#connections). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeInPieces } from '../../broker/http/send-whole.ts';
import { type GuardedListeners, startGuardedListeners, transports } from './guarded-listeners.ts';

/** More than the buffers of two systems hold. */
const replyBytes = 64 * 1024 * 1024;
const head = (line: string, bodyBytes: number) =>
  `${line} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bodyBytes}\r\n\r\n`;

describe.each(transports)('a client over %s that leaves a reply unread', (transport) => {
  let listeners: GuardedListeners;
  let seen: { url: string | undefined; bytes: number }[];
  beforeEach(async () => {
    seen = [];
    listeners = await startGuardedListeners((incoming, response) => {
      const request = { url: incoming.url, bytes: 0 };
      seen.push(request);
      incoming.on('data', (piece: Buffer) => {
        request.bytes += piece.length;
      });
      const bytes = incoming.url === '/large' ? replyBytes : 0;
      response.writeHead(200, { 'content-length': bytes });
      void writeInPieces(response, Buffer.alloc(bytes)).then(() => response.end());
    });
  });
  afterEach(() => listeners.stop());

  it.each([
    ['many empty lines', '\r\n\r\n'.repeat(16_000)],
    ['many short lines', 'a\r\n'.repeat(20_000)],
    ['no lines', 'a'.repeat(60_000)],
  ])('and sends a body of %s is served when it reads on', async (_, body) => {
    const socket = await listeners.dial(transport);
    socket.pause().write(head('GET /large', 0));
    await expect.poll(() => socket.readableLength).toBeGreaterThan(0);
    socket.write(head('POST /next', body.length) + body);
    socket.write(head('GET /last', 0));
    let read = 0;
    socket.on('data', (piece: Buffer) => {
      read += piece.length;
    });
    socket.resume();
    // The other two replies have no body.
    await expect.poll(() => read).toBeGreaterThan(replyBytes);
    await expect
      .poll(() => seen)
      .toEqual([
        { url: '/large', bytes: 0 },
        { url: '/next', bytes: body.length },
        { url: '/last', bytes: 0 },
      ]);
  });
});
