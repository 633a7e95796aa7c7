/**
 * Refusals that are written to a socket, because there is no request that could be answered, or none that the
 * application sees. Their shape is that of every error (specification/api.md#errors).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refusal } from '#protocol/errors.ts';
import type { RefusalParameters } from '#protocol/refusals.ts';
import { errorBody } from '../http/error-reply.ts';
import { commonHeaders } from '../http/response-headers.ts';
import { type EndTimes, endPolitely, isEnding } from './polite-end.ts';

type RawReason =
  | 'headers_too_large'
  | 'invalid_http'
  | 'request_too_slow'
  | 'standing_by'
  | 'too_many_connections'
  | 'tunnel_refused'
  | 'unsupported_expectation';

const statusTexts: Record<number, string> = { 200: 'OK', 400: 'Bad Request', 503: 'Service Unavailable' };

function replyFor(reason: RawReason) {
  const error = refusal(reason, {} as RefusalParameters<RawReason>);
  const body = JSON.stringify(errorBody(error));
  return { status: error.status, headers: { ...headersOf(body), connection: 'close' }, body };
}

const headersOf = (body: string) => ({
  ...commonHeaders,
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(body),
});

/** Returns a whole response, after which the connection is closed. */
export function rawRefusal(reason: RawReason, more: Readonly<Record<string, string>> = {}): string {
  const { status, headers, body } = replyFor(reason);
  return rawResponse(status, { ...headers, ...more }, body);
}

/** Returns a whole response with JSON, after which the connection is closed. */
export function rawPlain(content: object): string {
  const body = JSON.stringify(content);
  return rawResponse(200, { ...headersOf(body), connection: 'close' }, body);
}

function rawResponse(status: number, headers: object, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusTexts[status]}\r\n${lines.join('')}\r\n${body}`;
}

const reasonByErrorCode: Record<string, RawReason> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_too_slow',
};

/**
 * Answers what Node's HTTP parser refused and closes, because the connection cannot be trusted after such
 * bytes. `isAnswering`: a reply has begun on this connection, so another one would become part of its body.
 */
export function answerMalformed(
  error: Error & { code?: string },
  socket: Duplex,
  isAnswering: boolean,
  times?: EndTimes,
): void {
  // Each chunk that comes after the first malformed one is malformed again.
  if (isEnding(socket)) return;
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') socket.destroy();
  else endPolitely(socket, rawRefusal(reasonByErrorCode[error.code ?? ''] ?? 'invalid_http'), times);
}

/** Answers an Expect header other than 100-continue, and closes the connection. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = replyFor('unsupported_expectation');
  response.writeHead(status, headers).end(body);
}
