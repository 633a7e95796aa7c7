/** Clients that go away while their requests wait. */
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { jsonList } from './json-list.ts';
import { openSse } from './sse.ts';
import { startTestApp } from './testing/test-app.ts';

const nothing = new TextEncoder().encode('{}');

/** An application whose requests the test ends, in the order in which they began. */
async function startApp() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const streams = new Set<object>();
  let arrived = 0;
  let gone = 0;
  const { app } = await startTestApp({
    history: async () => {
      begun.push('history');
      await new Promise<void>((resolve) => ends.push(resolve));
      return jsonList(
        '{"messages":',
        (async function* pages() {
          yield nothing.slice();
        })(),
      );
    },
    subscribe: ({ reply }) => {
      begun.push('subscribe');
      const stream = openSse(reply);
      streams.add(stream);
      stream.onClose(() => streams.delete(stream));
      return undefined;
    },
  });
  app.server.on('request', () => arrived++);
  app.server.on('connection', (socket) => socket.once('close', () => gone++));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  /** `status` resolves with null if the connection ends without an answer. */
  function ask(path: string) {
    let client: ReturnType<typeof get> | undefined;
    const status = new Promise<number | null>((resolve) => {
      client = get(
        { port, path, agent: false, headers: { authorization: 'Bearer ada' } },
        ({ statusCode = 0 }) => resolve(statusCode),
      );
      client.on('error', () => resolve(null));
    });
    return { status, leave: () => client?.destroy() };
  }
  const end = (at: number) =>
    expect
      .poll(() => ends.length)
      .toBeGreaterThan(at)
      .then(() => ends[at]?.());
  return { begun, end, streams, ask, arrived: () => arrived, gone: () => gone };
}

it('a long list whose client went away before its first page gives its place back', async () => {
  const { begun, end, ask, gone } = await startApp();
  const abandoned = ask('/history');
  await expect.poll(() => begun).toEqual(['history']);
  abandoned.leave();
  await expect.poll(gone).toBe(1);
  await end(0);
  const next = ask('/history');
  await end(1);
  expect(await next.status).toBe(200);
});

it('a stream whose client went away before its turn is not opened, and gives its place back', async () => {
  const { begun, end, streams, ask, arrived, gone } = await startApp();
  ask('/history');
  ask('/history');
  await expect.poll(() => begun).toEqual(['history', 'history']);
  const abandoned = ask('/subscribe?name=ada');
  await expect.poll(arrived).toBe(3);
  const last = ask('/history');
  abandoned.leave();
  await expect.poll(gone).toBe(1);
  for (const at of [0, 1, 2]) await end(at);
  await last.status;
  expect(begun).toEqual(['history', 'history', 'history']);
  const stream = ask('/subscribe?name=ada');
  expect(await stream.status).toBe(200);
  expect(streams.size).toBe(1);
  stream.leave();
  await expect.poll(() => streams.size).toBe(0);
});
