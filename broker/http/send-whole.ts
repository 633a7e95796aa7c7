/**
 * How a reply whose bytes are at hand leaves: long ones in pieces, so that a reader that makes progress can be
 * told from one that does not, and a refused request's body is read to its end before the reply ends, so that
 * the sender sees the reply instead of a reset (specification/api.md#connections).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { limits } from '#protocol/limits.ts';
import { commonHeaders } from './response-headers.ts';

const pieceBytes = 64 * 1024;

/** Resolves when the system has taken the bytes, or the connection is closed: then `response.destroyed`. */
export async function writeInPieces(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += pieceBytes) {
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('close', done);
        resolve();
      };
      response.once('close', done);
      response.write(bytes.subarray(at, at + pieceBytes), done);
    });
  }
}

/** Sends `bytes` with the headers that were set on the reply and `more`, names and values in turn, and ends it. Errors of the connection end it too. */
export function sendWhole(
  reply: FastifyReply,
  status: number,
  bytes: string | Uint8Array,
  more: readonly string[] = [],
): void {
  reply.hijack();
  const { raw: response } = reply;
  const { raw: request } = reply.request;
  response.writeHead(status, headersOf(reply, more));
  const isRequestWhole = isWhole(request);
  // They do not wait for the end of the body, also if nothing follows them.
  if (!isRequestWhole) response.flushHeaders();
  if (bytes.length <= pieceBytes) {
    if (isRequestWhole) response.end(bytes.length === 0 ? undefined : bytes);
    else {
      if (bytes.length > 0) response.write(bytes);
      endAfterBody(request, response);
    }
    return;
  }
  const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  void writeInPieces(response, buffer).then(() => endAfterBody(request, response));
}

const commonList = Object.entries(commonHeaders).flat();

/** Names and values in turn, because Node writes a list faster than an object. */
function headersOf(reply: FastifyReply, more: readonly string[]): string[] {
  const headers = [...commonList, ...more];
  const own = reply.getHeaders();
  for (const name in own) {
    const value = own[name];
    // It replaces a common one.
    const place = headers.indexOf(name);
    if (place % 2 === 0) headers.splice(place, 2);
    for (const one of Array.isArray(value) ? value : [value]) headers.push(name, String(one));
  }
  return headers;
}

/** Whether nothing of the request's body is missing. */
function isWhole(request: IncomingMessage): boolean {
  // Without a socket, only the stream knows that the body has ended.
  if (request.complete || request.readableEnded) return true;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding === undefined && (length === undefined || Number(length) === 0);
}

/** Ends the reply when the request's body has arrived and was discarded; destroys a connection that is too slow or sends too much. */
export function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  if (isWhole(request)) {
    response.end();
    return;
  }
  const { lingerMs, lingerBytes } = limits.connections;
  const deadline = setTimeout(() => response.destroy(), lingerMs).unref();
  let discarded = 0;
  response.once('close', () => clearTimeout(deadline));
  request.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > lingerBytes) response.destroy();
  });
  request.once('end', () => {
    clearTimeout(deadline);
    response.end();
  });
}
