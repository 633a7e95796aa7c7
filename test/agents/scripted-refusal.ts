/** How the services of the models refuse, for the scripted ones. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export type Refusal =
  | { status: number; headers: Record<string, string>; body: object }
  /** The connection breaks before an answer. */
  | 'no connection'
  /** The answer begins with a text, and then reports an error, or its connection is reset. */
  | 'error in mid-answer'
  | 'reset in mid-answer';

/** Its answer has begun. Calls back once the beginning has left. */
export const breaksOff = (
  refusal: Refusal | null,
): refusal is 'error in mid-answer' | 'reset in mid-answer' =>
  refusal === 'error in mid-answer' || refusal === 'reset in mid-answer';

/** Sends the beginning of an answer, and then breaks it off. */
export function breakOff(response: ServerResponse, isReset: boolean, begin: string, error: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(begin, () => {
    if (isReset) response.socket?.resetAndDestroy();
    else response.end(error);
  });
}

export const eventText = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

/** https://docs.claude.com/en/api/errors: the shape of errors and their types; the SDKs obey `x-should-retry`. */
const anthropic = (
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): Refusal => ({
  status,
  headers: { 'x-should-retry': 'false', ...headers },
  body: { type: 'error', error: { type, message } },
});

export const anthropicRefusals = {
  login: anthropic(401, 'authentication_error', 'invalid x-api-key'),
  limit: anthropic(429, 'rate_limit_error', 'This request would exceed your rate limit.', {
    'retry-after': '2',
  }),
  overloaded: anthropic(529, 'overloaded_error', 'Overloaded'),
  rejected: anthropic(400, 'invalid_request_error', 'messages: text content blocks must be non-empty'),
} as const;

/** https://platform.openai.com/docs/guides/error-codes: the shape of errors. */
const openai = (status: number, error: object): Refusal => ({ status, headers: {}, body: { error } });

export const openaiRefusals = {
  login: openai(401, {
    message: 'Incorrect API key provided.',
    type: 'invalid_request_error',
    code: 'invalid_api_key',
  }),
  /** codex-rs/codex-api: the body by which Codex recognizes that the plan is used up, and does not retry. */
  limit: openai(429, {
    type: 'usage_limit_reached',
    message: 'The usage limit has been reached',
    plan_type: 'plus',
    resets_in_seconds: 2,
  }),
  overloaded: openai(500, { message: 'The server had an error', type: 'server_error' }),
  rejected: openai(400, { message: 'Invalid input', type: 'invalid_request_error' }),
} as const;

export function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  if (typeof refusal === 'string') request.socket.destroy();
  else
    response
      .writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers })
      .end(JSON.stringify(refusal.body));
}
