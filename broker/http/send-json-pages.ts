/**
 * A JSON reply that is sent page by page: memory holds one page of it, however long it is and however slowly
 * it is read.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { commonHeaders } from './response-headers.ts';
import { endAfterBody, writeInPieces } from './send-whole.ts';

/**
 * The pages are pieces of one JSON text; joined, they are the reply. An error before the first page is thrown and answered as an error. After it, the connection is closed, so
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
  response.writeHead(status, {
    ...commonHeaders,
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'application/json; charset=utf-8',
  });
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
