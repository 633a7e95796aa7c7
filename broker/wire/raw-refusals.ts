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

const statusTexts: Record<number, string> = { 400: 'Bad Request', 503: 'Service Unavailable' };

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
export function rawRefusal(reason: RawReason): string {
  const { status, headers, body } = replyFor(reason);
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

/** Answers an Expect header other than 100-continue. */
export const answerExpectation = (_request: IncomingMessage, response: ServerResponse): void =>
  answerRefused(response, 'unsupported_expectation');

/** Answers where no application does, and closes the connection. */
export function answerRefused(
  response: ServerResponse,
  reason: RawReason,
  more: Readonly<Record<string, string>> = {},
): void {
  const { status, headers, body } = replyFor(reason);
  response.writeHead(status, { ...headers, ...more }).end(body);
}

/** Answers JSON where no application does. */
export function answerPlain(response: ServerResponse, content: object): void {
  const body = JSON.stringify(content);
  response.writeHead(200, headersOf(body)).end(body);
}
