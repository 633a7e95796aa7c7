/**
 * The bounds of all connections together, and of each of them (specification/api.md#connections). One guard
 * watches every listener of a broker.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { limits } from '#protocol/limits.ts';
import { sourceKey } from '../http/rate-limit.ts';
import { type Caps, leastNeeded, verdictOn } from './connection-caps.rules.ts';
import { createTurns, feedInPieces } from './feed-parser.ts';
import { isForwarded, peerOf, showClientOf } from './forwarded.ts';
import { GatheredRequest } from './gathered-request.ts';
import { rawRefusal } from './raw-refusals.ts';
import { createRequestLane, type RequestLane } from './request-lane.ts';

/** A limit of connections that somebody hit. */
type ConnectionLimit = 'pipelined_requests' | 'connections' | 'connections_of_source' | 'unread_reply';

/** Called for each limit that is hit; `source` is a source key, or the name of a member that is known. */
export type OnLimit = (
  kind: ConnectionLimit | 'streams' | 'downloads' | 'own_changes',
  source: string,
) => void;

export interface ConnectionGuardOptions {
  caps: () => Caps;
  /** Whether an address has no limit of its own and may use the reserve. */
  isExempt: (address: string) => boolean;
  onLimit: OnLimit;
  /** How long unsent bytes may make no progress, ms. */
  writeIdleMs?: number;
  /** How long a connection may have no request, whatever arrives on it, ms. */
  idleMs?: number;
  /** How long the guard feeds the parser of new connections after the last flood, ms. */
  alarmMs?: number;
}

export interface ConnectionGuard {
  /** Counts and watches the connections of a server. Call it before the server listens. */
  watch(server: Server | HttpsServer): void;
  /** Calls `answer` when it is the request's turn on its connection. */
  admit(request: IncomingMessage, response: ServerResponse, answer: RequestListener): void;
  /** A part of an answer was sent on this connection, and another one is missing. */
  isAnswering(socket: Duplex): boolean;
  /** A request on this connection had a valid credential. */
  recognize(socket: Duplex): void;
  /** This connection carries a live stream, which has limits of its own for what it queues. */
  keepStream(socket: Duplex): void;
  /** Open connections. */
  readonly open: number;
  stop(): void;
}

interface Connection {
  /** The TCP connection. */
  socket: Socket;
  /** The socket on which HTTP is spoken: the same, or the TLS connection on it. */
  carrier: Socket;
  source: string;
  lane: RequestLane;
  readonly unanswered: number;
  isAuthenticated: boolean;
  isStream: boolean;
  /** Bytes that have left the process, and when they last became more (`performance.now()`). */
  sent: number;
  progressAt: number;
  /** When it had no request for the first time since its last one (`performance.now()`). */
  idleSince: number;
}

export function createConnectionGuard({
  caps,
  isExempt,
  onLimit,
  writeIdleMs = limits.connections.writeIdleMs,
  idleMs = limits.connections.keepAliveMs + limits.connections.headersMs,
  alarmMs = limits.connections.alarmMs,
}: ConnectionGuardOptions): ConnectionGuard {
  /** The oldest first. */
  const connections = new Set<Connection>();
  const countBySource = new Map<string, number>();
  const connectionBySocket = new WeakMap<Duplex, Connection>();
  const connectionByPeer = new Map<string, Connection>();
  const turns = createTurns();
  /**
   * Plain connections that Node's parser reads itself, at four fifths of the processor time per request. Over TLS,
   * Node leaves a connection stopped whose replies nobody took for a while, so the guard feeds its parser.
   */
  const readByNode = new Set<Connection>();
  /** Until then, it feeds the parser of each connection (`performance.now()`). */
  let alarmUntil = 0;

  function addTo(source: string, number: 1 | -1): void {
    const count = (countBySource.get(source) ?? 0) + number;
    if (count === 0) countBySource.delete(source);
    else countBySource.set(source, count);
  }

  function makeRoom(): boolean {
    const dropped = leastNeeded(connections);
    if (dropped === undefined) return false;
    remove(dropped);
    dropped.socket.destroy();
    return true;
  }

  /** Returns the limit that keeps a connection out; null if it may come in. */
  function limitOn(address: string, source: string): ConnectionLimit | null {
    const newcomer = { isExempt: isExempt(address), ofSource: countBySource.get(source) ?? 0 };
    const verdict = verdictOn(newcomer, connections.size, caps());
    if (verdict === 'too many of the source') return 'connections_of_source';
    return verdict === 'admit' || makeRoom() ? null : 'connections';
  }

  /** Node attaches its parser to a plain connection at once, and to others when they are encrypted. */
  function accept(socket: Socket, isPlain: boolean): void {
    const { remoteAddress } = socket;
    // It is gone already.
    if (remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const source = sourceKey(remoteAddress);
    const limit = limitOn(remoteAddress, source);
    if (limit !== null) {
      onLimit(limit, source);
      // Not lingering: what is refused for its number must not stay. Before TLS, nothing can be said.
      if (isPlain) socket.end(rawRefusal('too_many_connections'), () => socket.destroy());
      else socket.destroy();
      return;
    }
    const connection = add(socket, source, isPlain);
    if (isPlain && (isForwarded(socket) || performance.now() < alarmUntil)) takeOver(connection);
  }

  /** Takes a connection over from Node, unless Node stopped it and therefore knows how it goes on. */
  function takeOver(connection: Connection): void {
    if (connection.carrier.isPaused()) return;
    readByNode.delete(connection);
    feedInPieces(connection.carrier, turns);
  }

  /** Somebody sent more requests or chunks at once than clients do. Others may follow, from anywhere. */
  function raiseAlarm(): void {
    alarmUntil = performance.now() + alarmMs;
    for (const connection of readByNode) takeOver(connection);
  }

  function add(socket: Socket, source: string, isPlain: boolean): Connection {
    const lane = createRequestLane();
    const connection: Connection = {
      socket,
      carrier: socket,
      source,
      lane,
      get unanswered() {
        return lane.unanswered;
      },
      isAuthenticated: false,
      isStream: false,
      sent: 0,
      progressAt: performance.now(),
      idleSince: performance.now(),
    };
    const peer = peerOf(socket);
    connections.add(connection);
    if (isPlain) readByNode.add(connection);
    addTo(source, 1);
    connectionBySocket.set(socket, connection);
    connectionByPeer.set(peer, connection);
    socket.once('close', () => {
      remove(connection);
      if (connectionByPeer.get(peer) === connection) connectionByPeer.delete(peer);
    });
    return connection;
  }

  function remove(connection: Connection): void {
    if (connections.delete(connection)) addTo(connection.source, -1);
    readByNode.delete(connection);
  }

  function secured(carrier: Socket): void {
    const connection = connectionByPeer.get(peerOf(carrier));
    if (connection === undefined) return;
    showClientOf(connection.socket, carrier);
    connection.carrier = carrier;
    connectionBySocket.set(carrier, connection);
    feedInPieces(carrier, turns);
  }

  /**
   * Bytes count as sent when a write is complete. Data that the broker sends at once is small enough for that
   * (`send-whole.ts`). Node's own timer for idle connections starts anew with every byte, also with an empty line.
   */
  function look(): void {
    const now = performance.now();
    if (now < alarmUntil) for (const connection of readByNode) takeOver(connection);
    for (const connection of connections) {
      const { carrier, lane } = connection;
      if (lane.unanswered > 0) connection.idleSince = now;
      else if (now - connection.idleSince >= idleMs) {
        connection.socket.destroy();
        continue;
      }
      const sent = carrier.bytesWritten - carrier.writableLength;
      if (carrier.writableLength === 0 || connection.isStream || sent !== connection.sent) {
        connection.sent = sent;
        connection.progressAt = now;
      } else if (now - connection.progressAt >= writeIdleMs) {
        onLimit('unread_reply', connection.source);
        connection.socket.destroy();
      }
    }
  }
  const looking = setInterval(look, Math.min(1000, writeIdleMs / 4, idleMs / 4)).unref();

  return {
    watch(server) {
      const isPlain = !('setSecureContext' in server);
      server.on('connection', (socket: Socket) => accept(socket, isPlain));
      if (!isPlain) server.on('secureConnection', secured);
    },
    admit(request, response, answer) {
      const connection = connectionBySocket.get(request.socket);
      // It was refused, or closed; the parser still hands over what had arrived.
      if (connection === undefined || request.socket.destroyed) return;
      if (connection.lane.unanswered >= limits.connections.unanswered) {
        onLimit('pipelined_requests', connection.source);
        request.socket.destroy();
        raiseAlarm();
        return;
      }
      if (request instanceof GatheredRequest) request.onTinyChunks = raiseAlarm;
      connection.lane.add(request, response, answer);
    },
    isAnswering: (socket) => connectionBySocket.get(socket)?.lane.isAnswering ?? false,
    recognize(socket) {
      const connection = connectionBySocket.get(socket);
      if (connection !== undefined) connection.isAuthenticated = true;
    },
    keepStream(socket) {
      const connection = connectionBySocket.get(socket);
      if (connection !== undefined) connection.isStream = true;
    },
    get open() {
      return connections.size;
    },
    stop: () => clearInterval(looking),
  };
}
