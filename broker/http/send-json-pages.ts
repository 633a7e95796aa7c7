/**
 * A JSON reply that is sent page by page: memory holds one page of it, however long it is and however slowly
 * it is read.
 */
import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { limits } from '#protocol/limits.ts';
import { commonHeaders } from './response-headers.ts';

/**
 * Pieces of one JSON text in UTF-8; joined, they are the reply. A handler returns it instead of the reply's
 * value.
 */
export class JsonPages {
  readonly pages: AsyncIterable<Uint8Array>;
  constructor(pages: AsyncIterable<Uint8Array>) {
    this.pages = pages;
  }
}

/**
 * An error before the first page is thrown and answered as an error. After it, the connection is closed, so
 * that nobody mistakes a part for everything. A reader that takes nothing for 30 s is disconnected as well.
 */
export async function sendJsonPages(
  reply: FastifyReply,
  status: number,
  { pages }: JsonPages,
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
    for (let page = first; page.done !== true; page = await iterator.next()) {
      if (response.destroyed) return;
      if (!response.write(page.value)) await drained(response);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    await iterator.return?.();
  }
}

async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const silence = setTimeout(() => response.destroy(), limits.bodyReadMs);
  const until = (event: string) => once(response, event, { signal: over.signal }).catch(() => undefined);
  await Promise.race([until('drain'), until('close')]);
  clearTimeout(silence);
  over.abort();
}
