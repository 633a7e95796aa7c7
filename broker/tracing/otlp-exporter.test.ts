import { getEventListeners, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createExporter } from './otlp-exporter.ts';

/** Shorter than the first pause of the SDK, which therefore does not try again. */
const withoutRetryMs = 500;

/** A collector that does `answer` for each connection with a request, and the exporter that sends to it. */
async function open(answer: (socket: Socket) => void, timeoutMs = 600_000) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(async () => void (await close()));
  const cutOff = new AbortController();
  const exporter = await createExporter({
    settings: {
      url: `http://127.0.0.1:${port}/v1/traces`,
      protocol: 'http/json',
      timeoutMs,
      files: { ca: null, cert: null, key: null },
    },
    warn: () => undefined,
    signal: cutOff.signal,
  });
  return {
    cutOff,
    close,
    sockets,
    connections: () => connections,
    listeners: () => getEventListeners(cutOff.signal, 'abort').length,
    exportOnce: () => new Promise<{ error?: Error }>((resolve) => exporter.export([], resolve)),
  };
}

const header = (length: number, ...more: string[]) =>
  ['HTTP/1.1 200 OK', `Content-Length: ${length}`, ...more, '', ''].join('\r\n');

function flood(socket: Socket): void {
  const chunk = Buffer.alloc(1 << 20);
  const more = () => {
    while (!socket.destroyed) if (!socket.write(chunk)) return void socket.once('drain', more);
  };
  socket.write(header(2 ** 40));
  more();
}

it.each([
  ['closes each connection', (socket: Socket) => void socket.end(header(0, 'Connection: close'))],
  ['hangs up without an answer', (socket: Socket) => void socket.destroy()],
  ['sends more than is read', flood],
])('keeps nothing of an export to a collector that %s', async (_, answer) => {
  const { exportOnce, listeners, sockets, connections } = await open(answer, withoutRetryMs);
  const before = listeners();
  for (let n = 0; n < 20; n++) await exportOnce();
  expect(listeners()).toBe(before);
  await expect.poll(connections).toBe(20);
  await expect.poll(() => sockets.size).toBe(0);
});

it('keeps nothing of an export to a collector that is dead', async () => {
  const { exportOnce, listeners, close } = await open(() => undefined, withoutRetryMs);
  await close();
  const before = listeners();
  for (let n = 0; n < 20; n++) expect((await exportOnce()).error).toBeDefined();
  expect(listeners()).toBe(before);
});

it('uses a connection again', async () => {
  const { exportOnce, connections } = await open((socket) => {
    socket.write(header(0));
    socket.on('data', (data) => data.includes('POST') && socket.write(header(0)));
  });
  for (let n = 0; n < 3; n++) expect((await exportOnce()).error).toBeUndefined();
  expect(connections()).toBe(1);
});

it('ends its connections when it is cut off, and begins none afterwards', async () => {
  const { exportOnce, cutOff, sockets, connections } = await open(() => cutOff.abort());
  expect((await exportOnce()).error).toBeDefined();
  await expect.poll(() => sockets.size).toBe(0);
  expect((await exportOnce()).error).toBeDefined();
  expect(connections()).toBe(1);
});
