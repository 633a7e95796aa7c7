/** The listener of the active broker for connections that other machines pass on (docs/specification/standby.md#forwarding). */
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { createSlots } from '../runtime/slots.ts';
import { type Client, peerOf } from '../wire/forwarded.ts';
import { type Entrance, helloMs, maxHelloBytes, parseHello, serverTls, taken } from './between-machines.ts';

/** Connections that have not shown the key and said for whom they are: of one address, and of all. */
const maxPending = { ofAddress: 128, all: 1024 };
const keepAliveMs = 5000;
const lineEnd = 0x0a;

export interface ForwardingOptions {
  kek: KeyObject;
  /** Undefined: all interfaces. */
  host: string | undefined;
  port: number;
  /** Serves a connection. It is paused, and nothing of it was read. */
  receive: (to: Entrance, socket: Socket, client: Client) => void;
}

export interface ForwardingListener {
  readonly port: number;
  /** Stops accepting connections. Resolves when the last one is gone. */
  close(): Promise<void>;
  destroy(): void;
}

/** @throws Error if it cannot listen at the address. */
export async function listenForMachines({
  kek,
  host,
  port,
  receive,
}: ForwardingOptions): Promise<ForwardingListener> {
  const pending = createPending();
  const open = new Set<Socket>();
  const server = createServer({ ...serverTls(kek), handshakeTimeout: helloMs }, (socket) => {
    readHello(socket, () => pending.end(socket), receive);
  });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    pending.add(socket);
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.listen({ host, port });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        pending.destroy();
      }),
    destroy() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** The oldest makes room, because a machine of the team is done within milliseconds. */
function createPending() {
  const endByPeer = new Map<string, (isKnown: boolean) => void>();
  const slots = createSlots(() => maxPending.ofAddress);
  return {
    add(socket: Socket): void {
      const giveBack = slots.take(String(socket.remoteAddress));
      if (giveBack === null) {
        socket.destroy();
        return;
      }
      if (endByPeer.size >= maxPending.all) endByPeer.values().next().value?.(false);
      const peer = peerOf(socket);
      const end = (isKnown: boolean) => {
        clearTimeout(overdue);
        if (endByPeer.get(peer) === end) endByPeer.delete(peer);
        giveBack();
        if (!isKnown) socket.destroy();
      };
      const overdue = setTimeout(end, helloMs, false);
      endByPeer.set(peer, end);
      socket.once('close', () => end(false));
    },
    /** The machine on this connection is known now. */
    end: (carrier: TLSSocket) => endByPeer.get(peerOf(carrier))?.(true),
    destroy(): void {
      for (const end of [...endByPeer.values()]) end(false);
    },
  };
}

function readHello(socket: TLSSocket, onKnown: () => void, receive: ForwardingOptions['receive']): void {
  const destroy = () => void socket.destroy();
  let read = Buffer.alloc(0);
  function take(arrived: Buffer): void {
    read = Buffer.concat([read, arrived]);
    const end = read.indexOf(lineEnd);
    if (end === -1 && read.length <= maxHelloBytes) return;
    socket.off('data', take).off('end', destroy).pause();
    // Nobody may go on before the answer.
    const hello = end === read.length - 1 ? parseHello(read.toString('utf8', 0, end)) : null;
    if (hello === null) {
      destroy();
      return;
    }
    onKnown();
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveMs);
    socket.write(taken);
    receive(hello.to, socket, hello.client);
  }
  socket.on('error', destroy).on('end', destroy).on('data', take);
}
