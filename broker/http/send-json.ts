/**
 * The only place where a JSON reply is written, successes and errors alike. It writes to Node's response:
 * bypassing Fastify's own reply saves about a tenth of the same request (docs/benchmarks.md, durable push).
 */
import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { giveBack } from '../runtime/give-back.ts';
import { matchesEtag } from './byte-range.ts';
import { commonHeaders } from './response-headers.ts';
import { endAfterBody, sendWhole, writeInPieces } from './send-whole.ts';

const jsonType = ['content-type', 'application/json; charset=utf-8'] as const;

/**
 * `text` is JSON; an empty one is sent without a content type (204). Headers that were set on the reply are
 * sent along.
 */
export function sendJson(reply: FastifyReply, status: number, text: string | Uint8Array): void {
  const length = String(Buffer.byteLength(text));
  sendWhole(reply, status, text, text.length === 0 ? [] : [...jsonType, 'content-length', length]);
}

/** Sends bytes whose memory is given back afterwards. */
export function sendJsonBytes(reply: FastifyReply, status: number, bytes: Uint8Array): void {
  reply.raw.once('finish', () => giveBack(bytes));
  sendJson(reply, status, bytes);
}

/** 128 bits of the hash, in base64url. */
const tagCharacters = 22;

/** The reader is part of the tag, so that no reader's answer is confirmed to another one. */
function tagOf(reader: string, text: string): string {
  const hash = createHash('sha256').update(`${reader}\n${text}`).digest('base64url');
  return `"${hash.slice(0, tagCharacters)}"`;
}

/**
 * Like `sendJson`, with an ETag, so that the reader may keep the reply and ask for it again (specification/api.md#tags).
 * If the request's If-None-Match names the tag, the reply is a 304 without a body.
 */
export function sendTaggedJson(reply: FastifyReply, status: number, text: string): void {
  const { actor, headers } = reply.request;
  const etag = tagOf(actor?.name ?? '', text);
  reply.header('etag', etag);
  if (matchesEtag(headers['if-none-match'], etag)) sendJson(reply, 304, '');
  else sendJson(reply, status, text);
}

/**
 * The pages are pieces of one JSON text; joined, they are the reply. Memory holds one of them, however slowly it is
 * read. An error before the first page is thrown and answered as an error. After it, the connection is closed, so
 * that nobody mistakes a part for everything.
 */
export async function sendJsonPages(
  reply: FastifyReply,
  status: number,
  pages: AsyncIterable<Uint8Array>,
): Promise<void> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  reply.hijack();
  const response = reply.raw;
  const [typeName, type] = jsonType;
  const own = reply.getHeaders() as OutgoingHttpHeaders;
  response.writeHead(status, { ...commonHeaders, ...own, [typeName]: type });
  try {
    if (reply.request.method === 'HEAD') {
      await iterator.return?.();
      endAfterBody(reply.request.raw, response);
      return;
    }
    for (let page = first; page.done !== true; page = await iterator.next()) {
      if (response.destroyed) return;
      await writeInPieces(response, page.value);
    }
    endAfterBody(reply.request.raw, response);
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    await iterator.return?.();
  }
}
