/** A flood on one connection makes the broker careful with all of them (specification/api.md#connections). */
import { afterEach, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { type GuardedListeners, startGuardedListeners } from './guarded-listeners.ts';

const replyBytes = 64 * 1024 * 1024;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const inTinyChunks = (chunks: number) =>
  `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(chunks)}0\r\n\r\n`;
const chunksOfBody = 60_000;
/** A piece has 40 lines. A short arrival, which is a piece of its own, can come in the same turn. */
const chunksOfTurn = 20 + Math.ceil(512 / '1\r\na\r\n'.length);

let listeners: GuardedListeners;
afterEach(() => listeners.stop());

const floods = {
  'pipelined requests': async () => {
    const socket = await listeners.dial('plain');
    const closed = new Promise((resolve) => socket.on('close', resolve).resume());
    socket.write(get('/').repeat(limits.connections.unanswered + 1));
    await closed;
  },
  'tiny chunks': async () => {
    await mostChunksInATurn();
  },
};

let most = 0;
/** Counts the chunks of each body per turn of the event loop. */
const start = (alarmMs?: number) =>
  startGuardedListeners(
    (incoming, response) => {
      if (incoming.url === '/large') {
        response.end(Buffer.alloc(replyBytes));
        return;
      }
      let inTurn = 0;
      incoming.on('data', () => {
        inTurn += 1;
        if (inTurn > 1) return;
        setImmediate(() => {
          most = Math.max(most, inTurn);
          inTurn = 0;
        });
      });
      incoming.on('end', () => setImmediate(() => response.end('done')));
    },
    alarmMs === undefined ? {} : { alarmMs },
  );

async function mostChunksInATurn(): Promise<number> {
  most = 0;
  const socket = await listeners.dial('plain');
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write(inTinyChunks(chunksOfBody));
  await answered;
  socket.destroy();
  return most;
}

describe.each(Object.keys(floods) as (keyof typeof floods)[])('after a flood of %s', (kind) => {
  it('the broker parses what arrives on new connections in pieces', async () => {
    listeners = await start();
    await floods[kind]();
    expect(await mostChunksInATurn()).toBeLessThanOrEqual(chunksOfTurn);
  });

  it('the broker parses what arrives on connections that were open in pieces', async () => {
    listeners = await start();
    const socket = await listeners.dial('plain');
    await floods[kind]();
    most = 0;
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write(inTinyChunks(chunksOfBody));
    await answered;
    expect(most).toBeLessThanOrEqual(chunksOfTurn);
  });

  it('a client that had left its reply unread is served when it reads on', async () => {
    listeners = await start();
    const socket = await listeners.dial('plain');
    socket.pause().write(get('/large'));
    await expect.poll(() => socket.readableLength).toBeGreaterThan(0);
    socket.write(get('/next'));
    await floods[kind]();
    let text = '';
    let bytes = 0;
    socket.on('data', (piece: Buffer) => {
      bytes += piece.length;
      text = piece.toString('latin1').slice(-20);
    });
    socket.resume();
    await expect.poll(() => bytes).toBeGreaterThan(replyBytes);
    socket.write(inTinyChunks(chunksOfBody));
    await expect.poll(() => text).toContain('done');
  });

  it('Node parses new connections again when the alarm is over', async () => {
    listeners = await start(1);
    await floods[kind]();
    await expect.poll(mostChunksInATurn).toBeGreaterThan(chunksOfTurn);
  });
});
