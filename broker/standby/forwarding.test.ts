/** A machine that stands by, and the active broker that it passes connections on to (docs/specification/standby.md#forwarding). */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeHttpsFiles } from '../config/https-files.ts';
import type { Client } from '../wire/forwarded.ts';
import { clientTls, helloLine, helloMs, maxHelloBytes, serverTls, taken } from './between-machines.ts';
import { createForwarder, type Forwarder, joinBoth } from './forwarder.ts';
import { type ForwardingListener, listenForMachines } from './forwarding-listener.ts';

const kek = createSecretKey(randomBytes(32));
const client: Client = { remoteAddress: '192.0.2.7', remotePort: 4711, localAddress: '192.0.2.1' };
const hello = { to: 'plain', client } as const;

let received: { to: string; client: Client }[];
let listener: ForwardingListener;
beforeEach(async () => {
  received = [];
  listener = await listenForMachines({
    kek,
    host: '127.0.0.1',
    port: 0,
    receive(to, socket, from) {
      received.push({ to, client: from });
      socket.resume().pipe(socket);
    },
  });
});
afterEach(async () => {
  const closed = listener.close();
  listener.destroy();
  await closed;
});

function forwarderTo(port: number, key: KeyObject = kek): Forwarder {
  const forwarder = createForwarder(key);
  onTestFinished(() => forwarder.close());
  forwarder.point({ epoch: 1, address: `127.0.0.1:${port}` });
  return forwarder;
}

/** A connection of a client to a machine that stands by. */
async function nearOf(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = connectTcp({ port: (server.address() as AddressInfo).port, allowHalfOpen: true });
  const [near] = (await once(server, 'connection')) as [Socket];
  server.close();
  onTestFinished(() => {
    near.destroy();
    far.destroy();
  });
  return { near, far };
}

const closed = (socket: Socket): Promise<true> =>
  new Promise((resolve) => {
    if (socket.closed) resolve(true);
    socket
      .on('error', () => undefined)
      .on('end', () => socket.end())
      .once('close', () => resolve(true))
      .resume();
  });

describe('a machine with the key of the team', () => {
  it('ends the connection of a client that reads nothing', async () => {
    const { near, far } = await nearOf();
    const link = await forwarderTo(listener.port).open(near, hello);
    if (link === null) expect.unreachable('the active broker takes it');
    joinBoth(near, link, 200);
    far.on('error', () => undefined).write(randomBytes(30_000_000));
    const both = [near, link].map((socket) => once(socket, 'close'));
    await Promise.all(both);
    expect([near.destroyed, link.destroyed]).toEqual([true, true]);
  });

  it('passes bytes, the end, and the address of the client on', async () => {
    const { near, far } = await nearOf();
    const link = await forwarderTo(listener.port).open(near, hello);
    if (link === null) expect.unreachable('the active broker takes it');
    joinBoth(near, link);
    expect(link.getProtocol()).toBe('TLSv1.3');
    expect(link.getEphemeralKeyInfo()).toMatchObject({ type: 'TLSGroup' });
    const sent = randomBytes(3_000_000);
    far.end(sent);
    const got: Buffer[] = [];
    for await (const piece of far) got.push(piece);
    expect(Buffer.concat(got).equals(sent)).toBe(true);
    expect(received).toEqual([hello]);
    expect(await closed(link)).toBe(true);
  });

  it('also passes on to a desktop app, whose TLS library has no agreed keys in TLS 1.3', async () => {
    const app = createTlsServer(serverTls(kek, true), (socket) => {
      socket.once('data', () => {
        socket.write(taken);
        socket.pipe(socket);
      });
    });
    app.listen(0, '127.0.0.1');
    await once(app, 'listening');
    onTestFinished(() => void app.close());
    const { near, far } = await nearOf();
    const link = await forwarderTo((app.address() as AddressInfo).port).open(near, hello);
    if (link === null) expect.unreachable('the desktop app takes it');
    joinBoth(near, link);
    expect(link.getProtocol()).toBe('TLSv1.2');
    expect(link.getEphemeralKeyInfo()).toMatchObject({ type: 'ECDH' });
    const sent = randomBytes(3_000_000);
    far.end(sent);
    const got: Buffer[] = [];
    for await (const piece of far) got.push(piece);
    expect(Buffer.concat(got).equals(sent)).toBe(true);
    expect(await closed(link)).toBe(true);
  });

  it('ends what it passes on when another broker is active', async () => {
    const { near, far } = await nearOf();
    const forwarder = forwarderTo(listener.port);
    const link = await forwarder.open(near, hello);
    if (link === null) expect.unreachable('the active broker takes it');
    joinBoth(near, link);
    forwarder.point({ epoch: 1, address: `127.0.0.1:${listener.port}` });
    far.write('still there');
    expect(String((await once(far, 'data'))[0])).toBe('still there');
    forwarder.point(null);
    expect(await closed(far)).toBe(true);
  });

  it('refuses a machine that has a certificate instead of the key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-forwarding-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { certificate, key } = await makeHttpsFiles(`${folder}/svc.json`, {
      teamName: 'team',
      names: { configured: [], all: ['127.0.0.1'] },
      now: Date.now(),
    });
    let accepted = 0;
    const impostor = createTlsServer({ cert: certificate, key }, () => {
      accepted += 1;
    });
    impostor.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    await once(impostor, 'listening');
    onTestFinished(() => void impostor.close());
    const { near } = await nearOf();
    const bytes: Buffer[] = [];
    impostor.on('secureConnection', (socket) => socket.on('data', (piece: Buffer) => bytes.push(piece)));
    const { port } = impostor.address() as AddressInfo;
    expect(await forwarderTo(port).open(near, hello)).toBeNull();
    expect(bytes).toEqual([]);
    expect(accepted).toBeLessThanOrEqual(1);
  });

  it('gives up a machine that accepts connections and says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    onTestFinished(() => {
      silent.close();
      for (const socket of sockets) socket.destroy();
    });
    const { near } = await nearOf();
    expect(await forwarderTo((silent.address() as AddressInfo).port).open(near, hello)).toBeNull();
  });
});

describe('the active broker', () => {
  it('takes nothing from a machine with the key of another team', async () => {
    const { near } = await nearOf();
    const forwarder = forwarderTo(listener.port, createSecretKey(randomBytes(32)));
    expect(await forwarder.open(near, hello)).toBeNull();
    expect(received).toEqual([]);
  });

  it('takes connections of a desktop app, and none of one with the key of another team', async () => {
    const connect = (key: KeyObject) => {
      const socket = connectTls({ port: listener.port, host: '127.0.0.1', ...clientTls(key, true) });
      return socket.once('secureConnect', () => socket.write(helloLine(hello)));
    };
    const stranger = connect(createSecretKey(randomBytes(32)));
    expect(await closed(stranger)).toBe(true);
    expect(received).toEqual([]);
    const app = connect(kek);
    expect((await once(app, 'data'))[0]).toEqual(taken);
    expect(app.getCipher()).toMatchObject({ name: 'ECDHE-PSK-CHACHA20-POLY1305' });
    expect(received).toEqual([hello]);
    app.destroy();
  });

  it.each([
    ['a key that is not fresh', 'PSK-CHACHA20-POLY1305'],
    ['no key that was agreed', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ])('takes nothing over TLS 1.2 with %s', async (_, ciphers) => {
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ...clientTls(kek, true), ciphers });
    let isConnected = false;
    socket.once('secureConnect', () => {
      isConnected = true;
    });
    expect(await closed(socket)).toBe(true);
    expect(isConnected).toBe(false);
  });

  it('takes nothing over TLS without the key', async () => {
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', rejectUnauthorized: false });
    expect(await closed(socket)).toBe(true);
    expect(received).toEqual([]);
  });

  it.each([
    ['HTTP', 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a hello that is not encrypted', helloLine(hello)],
    ['nothing', ''],
  ])('ends a connection that begins with %s', async (_, text) => {
    const socket = connectTcp(listener.port, '127.0.0.1');
    socket.write(text);
    let answer = '';
    socket.on('data', (piece) => {
      answer += piece.toString('latin1');
    });
    expect(await closed(socket)).toBe(true);
    expect(answer).not.toContain('HTTP/');
    expect(received).toEqual([]);
  });

  it.each([
    ['is not JSON', 'hello\n'],
    ['is too long', 'x'.repeat(maxHelloBytes + 1)],
    ['does not end', '{"to":"plain"'],
    ['names no address', helloLine({ ...hello, client: { ...client, remoteAddress: 'localhost' } })],
    ['names no port', helloLine({ ...hello, client: { ...client, remotePort: 70_000 } })],
    ['names another listener', helloLine({ ...hello, to: 'metrics' as 'plain' })],
    ['is followed by bytes before the answer', `${helloLine(hello)}GET`],
  ])('ends a connection whose hello %s', async (_, text) => {
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ...clientTls(kek) });
    socket.once('secureConnect', () => socket.write(text));
    expect(await closed(socket)).toBe(true);
    expect(received).toEqual([]);
  });

  it('still takes the connections of a machine while strangers keep all the others open that they may', async () => {
    const strangers = Array.from({ length: 200 }, () => {
      const socket = connectTcp({ port: listener.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      return socket.on('error', () => undefined);
    });
    onTestFinished(() => {
      for (const socket of strangers) socket.destroy();
    });
    // Those that came in are closed after a while, and the first of them first.
    const firstClosed = await Promise.race(strangers.map((socket, n) => closed(socket).then(() => n)));
    expect(firstClosed).toBeGreaterThanOrEqual(128);
    const { near } = await nearOf();
    expect(await forwarderTo(listener.port).open(near, hello)).not.toBeNull();
  });

  it('ends handshakes that arrive byte by byte, and takes the connections of a machine meanwhile', async () => {
    const [near, { near: source, far: carrier }] = [await nearOf(), await nearOf()];
    connectTls({ socket: carrier, ...clientTls(kek) }).on('error', () => undefined);
    const [greeting] = (await once(source, 'data')) as [Buffer];
    const strangers = Array.from({ length: 128 }, () =>
      connectTcp({ port: listener.port, host: '127.0.0.1', localAddress: '127.0.0.2' }),
    );
    const paceMs = 50;
    let sent = 0;
    const pace = setInterval(() => {
      for (const socket of strangers) socket.write(greeting.subarray(sent, sent + 1));
      sent += 1;
    }, paceMs);
    onTestFinished(() => clearInterval(pace));
    const ended = Promise.all(strangers.map(closed));
    expect(await forwarderTo(listener.port).open(near.near, hello)).not.toBeNull();
    await ended;
    // Within three times as long as a machine may take.
    expect(sent * paceMs).toBeLessThan(3 * helloMs);
  });
});
