/** Connections that begin something and then say nothing (specification/api.md#connections). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GuardedListeners, startGuardedListeners, transports } from './guarded-listeners.ts';

let listeners: GuardedListeners;
beforeEach(async () => {
  listeners = await startGuardedListeners((request, response) => {
    request.resume();
    response.end('answered');
  });
});
afterEach(() => listeners.stop());

/** A client that half-closes never: it keeps its side open whatever it is told. */
const beginnings = [
  ['nothing', ''],
  ['a part of the headers', 'GET /healthz HTTP/1.1\r\nHost: '],
  ['bytes that are not HTTP', 'not HTTP at all\r\n\r\n'],
  ['a request, and leaves the connection open', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a request for a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n'],
  [
    'an expectation that nobody meets, many times',
    'GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n'.repeat(100),
  ],
] as const;

describe.each(transports)('a client that connects over %s', (transport) => {
  it.each(beginnings)('is disconnected for good after it sent %s', async (_, bytes) => {
    const socket = await listeners.dial(transport);
    // It sees the end, and does not close its own side.
    socket.allowHalfOpen = true;
    socket.write(bytes);
    socket.resume();
    await expect.poll(() => listeners.guard.open).toBe(0);
  });
});

it('a TLS handshake that never ends is disconnected for good', async () => {
  await listeners.dialTcp('TLS');
  await expect.poll(() => listeners.guard.open).toBe(0);
});

it.each(transports)(
  'a client that sends empty lines after its request over %s is disconnected',
  async (transport) => {
    const own = await startGuardedListeners((_, response) => response.end('answered'), { idleMs: 1000 });
    try {
      const socket = await own.dial(transport);
      socket.resume().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      const sending = setInterval(() => socket.write('\r\n'), 50);
      await expect.poll(() => own.guard.open).toBe(0);
      clearInterval(sending);
    } finally {
      await own.stop();
    }
  },
);
