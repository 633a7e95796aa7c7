/** Bodies in chunks of one byte, each of which costs Node some 400 bytes (specification/api.md#connections). */
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prepareServedBroker, type ServedBroker } from '../crash/served-broker.ts';
import { type GuardedListeners, startGuardedListeners, transports } from './guarded-listeners.ts';
import { residentBytes } from './process-facts.ts';

const connections = 400;
const chunksEach = 4000;
const maxResidentBytes = 350 * 1024 * 1024;

const chunk = (letter: string) => `1\r\n${letter}\r\n`;
const chunked = (line: string, type = 'application/json') =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n`;

describe(`${connections} connections without a credential that send ${chunksEach} chunks of one byte each`, () => {
  let broker: ServedBroker;
  let sockets: Socket[] = [];
  beforeAll(async () => {
    broker = await prepareServedBroker(['ada']);
    await broker.start();
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await broker.remove();
  });

  /** Resolves when the broker has answered, or has taken all of a request that never ends. */
  function sendSlices(): Promise<Socket> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(broker.url).port), '127.0.0.1');
      socket
        .on('error', () => undefined)
        .on('close', () => resolve(socket))
        .resume();
      socket.write(`${chunked('POST /session/totp')}\r\n${chunk(' ').repeat(chunksEach)}`, () =>
        resolve(socket),
      );
    });
  }

  it('leave the broker small, and it answers others', async () => {
    sockets = await Promise.all(Array.from({ length: connections }, sendSlices));
    // The bytes that were sent before this request arrive before it; the broker reads its connections in turn.
    for (let round = 0; round < 20; round += 1) {
      expect((await fetch(`${broker.url}/healthz`)).status).toBe(200);
    }
    expect(await residentBytes(broker.pid ?? 0)).toBeLessThan(maxResidentBytes);
  });
});

describe.each(transports)('a body in many small chunks over %s', (transport) => {
  let listeners: GuardedListeners;
  let arrived: Promise<IncomingMessage>;
  beforeEach(async () => {
    const request = Promise.withResolvers<IncomingMessage>();
    arrived = request.promise;
    listeners = await startGuardedListeners((incoming) => request.resolve(incoming));
  });
  afterEach(() => listeners.stop());

  const letters = Array.from({ length: 60_000 }, (_, n) => 'abcdefghij'[n % 10] ?? '');
  const body = letters.map(chunk).join('');

  it('is held in few pieces until somebody reads it, and arrives whole', async () => {
    const socket = await listeners.dial(transport);
    socket.write(`${chunked('POST /')}\r\n${body}0\r\n\r\n`);
    const incoming = await arrived;
    await expect.poll(() => incoming.complete).toBe(true);
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(letters.join(''));
    expect(pieces.length).toBeLessThan(100);
  });

  it('stops its connection when nobody reads it', async () => {
    const socket = await listeners.dial(transport);
    socket.write(`${chunked('POST /')}\r\n`);
    const incoming = await arrived;
    const chunks = 3_000_000;
    socket.write(chunk('a').repeat(chunks));
    await expect.poll(() => incoming.socket.bytesRead).toBeGreaterThan(300_000);
    // In each turn it could read more.
    for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate);
    expect(incoming.socket.bytesRead).toBeLessThan(2_000_000);
    let read = 0;
    incoming.on('data', (piece: Buffer) => {
      read += piece.length;
    });
    await expect.poll(() => read).toBe(chunks);
  });

  it('ends with an error when its sender goes away', async () => {
    const socket = await listeners.dial(transport);
    socket.write(`${chunked('POST /')}\r\n${body}`);
    const incoming = await arrived;
    const ended = new Promise((resolve) => incoming.on('error', resolve));
    socket.destroy();
    incoming.resume();
    expect(await ended).toMatchObject({ code: 'ECONNRESET' });
  });
});
