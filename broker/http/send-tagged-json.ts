/** JSON replies that their reader may keep in memory and ask for again (specification/api.md#tags). */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { matchesEtag } from './byte-range.ts';
import { sendJson } from './send-json.ts';

/** 128 bits of the hash, in base64url. */
const tagCharacters = 22;

/** The reader is part of the tag, so that no reader's answer is confirmed to another one. */
function tagOf(reader: string, text: string): string {
  const hash = createHash('sha256').update(`${reader}\n${text}`).digest('base64url');
  return `"${hash.slice(0, tagCharacters)}"`;
}

/** Like `sendJson`, with an ETag. If the request's If-None-Match names it, the reply is a 304 without a body. */
export function sendTaggedJson(reply: FastifyReply, status: number, text: string): void {
  const { actor, headers } = reply.request;
  const etag = tagOf(actor?.name ?? '', text);
  reply.header('etag', etag);
  if (matchesEtag(headers['if-none-match'], etag)) sendJson(reply, 304, '');
  else sendJson(reply, status, text);
}
