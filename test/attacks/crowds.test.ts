/** More connections than a broker can hold (specification/api.md#connections). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rawRequest } from '../../broker/testing/raw-request.ts';
import { startTestBroker } from '../../broker/testing/test-broker.ts';
import { everythingFrom, type GuardedListeners, startGuardedListeners } from './guarded-listeners.ts';

const caps = { all: 8, perSource: 4, reserved: 2 };
const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let listeners: GuardedListeners;
let isExempt: boolean;
let hits: string[];
beforeEach(async () => {
  isExempt = false;
  hits = [];
  listeners = await startGuardedListeners(
    (incoming, response) => {
      if (incoming.url === '/stream') {
        listeners.guard.recognize(incoming.socket);
        listeners.guard.keepStream(incoming.socket);
        response.write('open');
      } else response.end('answered');
    },
    {
      caps: () => caps,
      isExempt: () => isExempt,
      onLimit: (kind, source) => void hits.push(`${kind} ${source}`),
    },
  );
});
afterEach(() => listeners.stop());

/** Opens a connection that has been counted. */
async function idle() {
  const before = listeners.guard.open;
  const socket = await listeners.dial('plain');
  await expect.poll(() => listeners.guard.open).toBeGreaterThan(before);
  return socket;
}

async function stream() {
  const socket = await listeners.dial('plain');
  const first = new Promise((resolve) => socket.once('data', resolve));
  socket.write('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n');
  await first;
  return socket;
}

async function isAnswered() {
  const socket = await listeners.dial('plain');
  const first = new Promise<string>((resolve) => {
    socket.once('data', (chunk) => resolve(String(chunk))).once('close', () => resolve(''));
  });
  socket.write(request);
  return (await first).includes('answered');
}

describe('one source with as many connections as it may have', () => {
  it('is refused another one with a sentence, and counted', async () => {
    for (let n = 0; n < caps.perSource; n++) await stream();
    const refused = everythingFrom(await listeners.dial('plain'));
    expect(await refused).toMatch(/^HTTP\/1.1 503 [\s\S]*"reason":"too_many_connections"/);
    expect(hits).toEqual(['connections_of_source 127.0.0.1']);
    const secure = everythingFrom(await listeners.dialTcp('TLS'));
    expect(await secure).toBe('');
  });
});

describe('a broker with as many connections as it may have', () => {
  it('disconnects the oldest one that never had a credential, and never a stream', async () => {
    isExempt = true;
    const streams = [await stream(), await stream()];
    const oldest = everythingFrom(await idle());
    for (let n = 3; n < caps.all; n++) await stream();
    expect(await isAnswered()).toBe(true);
    expect(await oldest).toBe('');
    for (const socket of streams) expect(socket.destroyed).toBe(false);
  });

  it('keeps room for the operator when everybody else is refused', async () => {
    isExempt = true;
    for (let n = caps.reserved; n < caps.all; n++) await stream();
    isExempt = false;
    expect(await isAnswered()).toBe(false);
    isExempt = true;
    expect(await isAnswered()).toBe(true);
  });
});

describe('a broker whose configuration limits every source, loopback included', () => {
  it('refuses the connection after the last one and says so in its log', async () => {
    const team = await startTestBroker({
      config: { listen: { maxConnectionsPerSource: 2, unlimitedSources: [] } },
    });
    try {
      const streams = [await team.stream('ada'), await team.stream('ben')];
      expect(await rawRequest(team.url, '')).toMatch(/^HTTP\/1.1 503 /);
      expect(team.logged()).toContain('"limit":"connections_of_source"');
      for (const stream of streams) stream.close();
    } finally {
      await team.stop();
    }
  });
});
