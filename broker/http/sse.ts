/**
 * Server-sent events on the wire: frames as bytes, and the connection that carries them
 * (specification/streams.md#subscribe).
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { FastifyReply } from 'fastify';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { isPipelined } from '../wire/request-lane.ts';
import { whenOver } from './reply-over.ts';
import { commonHeaders } from './response-headers.ts';

/** Returns one event as bytes; `data` is one line of JSON. */
export function sseFrame(event: string, data: string, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
}

const nothing = Buffer.alloc(0);

export const heartbeatFrame = Buffer.from(':\n\n');

/**
 * Joins frames into one HTTP chunk. It is built once and handed to every socket that gets these frames:
 * writing the same buffer past the response object is what makes wide fan-out cheap (docs/benchmarks.md).
 */
export function asChunk(frames: readonly Buffer[]): Buffer {
  const size = frames.reduce((sum, frame) => sum + frame.length, 0);
  return Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), ...frames, Buffer.from('\r\n')]);
}

/** The connection to which a live stream writes. */
export interface StreamSink {
  /** Writes a chunk from asChunk. */
  write(chunk: Buffer): void;
  /** Whether the connection uses TLS. */
  readonly isEncrypted: boolean;
  /** Bytes that are queued because the reader does not read. */
  readonly waitingBytes: number;
  /** Resolves when nothing is queued, or when the connection is gone. */
  drained(): Promise<void>;
  /** Half-closes, then destroys after five seconds (specification/streams.md#slow-readers). */
  end(): void;
  onClose(listener: () => void): void;
}

/** Takes over the reply and sends the stream's head. @throws BrokerError before anything is sent. */
export function openSse(reply: FastifyReply): StreamSink {
  const response = reply.raw;
  const { socket } = response;
  // A request that is pipelined after a stream would never be answered, and one that waited before it may be a mistake too.
  if (socket === null || isPipelined(reply.request.raw)) refuse('stream_needs_own_connection');
  if (reply.request.raw.httpVersion !== '1.1') refuse('stream_needs_http_1_1');
  reply.hijack();
  response.writeHead(200, {
    ...commonHeaders,
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    connection: 'close',
    'transfer-encoding': 'chunked',
  });
  response.flushHeaders();
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 2 * limits.stream.heartbeatMs);
  return {
    isEncrypted: reply.raw.socket instanceof TLSSocket,
    write(chunk) {
      if (!socket.destroyed) socket.write(chunk);
    },
    get waitingBytes() {
      return socket.writableLength;
    },
    drained() {
      if (socket.destroyed || socket.writableLength === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const finish = () => {
          socket.off('close', finish);
          resolve();
        };
        socket.on('close', finish);
        // Called when everything before it is written; 'drain' occurs only after much was queued.
        socket.write(nothing, finish);
      });
    },
    end() {
      response.end();
      socket.end();
      setTimeout(() => socket.destroy(), limits.stream.byeMs).unref();
    },
    onClose(listener) {
      whenOver(response, listener);
    },
  };
}
