/**
 * Sends a file's bytes: whole, a range of them, or none if the client has them
 * (specification/files.md#reading).
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { refuse } from '#protocol/errors.ts';
import { byteRange, matchesEtag } from './byte-range.ts';
import { commonHeaders } from './response-headers.ts';
import { sendJson } from './send-json.ts';

export interface Bytes {
  name: string;
  size: number;
  mimeType: string;
  /** The hash of the content: the same hash means the same bytes. */
  hash: string;
  /** Fills `into` from `position` on. Returns the number of bytes, at least one. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

/** Types that a browser shows in place; everything else is saved. None of these can run scripts. */
const inlineTypes = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'text/plain',
  'application/json',
];

/** There are two of these per reply. */
const bufferBytes = 128 * 1024;

/** RFC 6266: a plain name for old clients, and the real one percent-encoded. */
function disposition(mimeType: string, name: string): string {
  const essence = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  const plain = name.replace(/[^A-Za-z0-9 ._-]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${inlineTypes.includes(essence) ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Closes `bytes` in every case. @throws BrokerError bad_request as 416 for a range after the end. */
export async function sendBytes(
  reply: FastifyReply,
  request: IncomingHttpHeaders,
  bytes: Bytes,
): Promise<void> {
  try {
    await send(reply, request, bytes);
  } finally {
    await bytes.close();
  }
}

async function send(reply: FastifyReply, request: IncomingHttpHeaders, bytes: Bytes): Promise<void> {
  const { size, mimeType } = bytes;
  const etag = `"${bytes.hash}"`;
  if (matchesEtag(request['if-none-match'], etag)) {
    reply.header('etag', etag);
    sendJson(reply, 304, '');
    return;
  }
  const ifRange = request['if-range'];
  const range = ifRange === undefined || ifRange === etag ? byteRange(request.range, size) : null;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`);
    refuse('invalid_range', { size });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  reply.hijack();
  const response = reply.raw;
  response.writeHead(range === null ? 200 : 206, {
    ...commonHeaders,
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': mimeType,
    'content-length': end - start + 1,
    'content-disposition': disposition(mimeType, bytes.name),
    'content-security-policy': "sandbox; default-src 'none'",
    'accept-ranges': 'bytes',
    etag,
    ...(range !== null && { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (reply.request.method === 'HEAD') response.end();
  else await copy(bytes, start, end, response);
}

/**
 * Two buffers take turns, one being filled while the other is sent, so memory stays the same however large
 * the file is.
 */
async function copy(bytes: Bytes, start: number, end: number, response: ServerResponse): Promise<void> {
  const left = end - start + 1;
  let filling = Buffer.allocUnsafeSlow(Math.min(left, bufferBytes));
  let sending = Buffer.allocUnsafeSlow(Math.min(left, bufferBytes));
  let sent: Promise<void> = Promise.resolve();
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  try {
    for (let at = start; at <= end; ) {
      const length = await bytes.read(filling.subarray(0, Math.min(bufferBytes, end - at + 1)), at);
      await Promise.race([sent, gone]);
      if (response.destroyed) return;
      const part = filling.subarray(0, length);
      sent = new Promise((resolve) => response.write(part, () => resolve()));
      [filling, sending] = [sending, filling];
      at += length;
    }
    await Promise.race([sent, gone]);
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}
