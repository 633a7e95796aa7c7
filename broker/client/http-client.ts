/** Requests to one broker, with the token (specification/api.md). */
import type { Agent } from 'node:http';
import { codeOf } from '#platform/error-text.ts';
import { svcCommand } from '#platform/svc-command.ts';
import type { Send, WireRequest } from '#protocol/client.ts';
import { ConnectionError, type ConnectionReason } from './connection-error.ts';
import { type ExchangeReply, exchange } from './http-exchange.ts';

export interface HttpClientOptions {
  /** The broker's address; a path in it is a prefix. */
  url: string;
  token: string | null;
  /** For one whole call; for a stream, until its headers have arrived. 30 s by default. */
  timeoutMs?: number;
  /** Ends every call in progress. */
  signal?: AbortSignal;
  /** The agent whose connections are used; a caller that pins a certificate passes its own. */
  agent?: Agent | undefined;
}

export interface HttpClient {
  readonly url: string;
  /** One call, with its whole reply. @throws ConnectionError. */
  send: Send;
  /**
   * Opens a stream: resolves with the headers, and the body follows. With an `upload` as the request's body,
   * the headers may take as long as it takes: only the signal ends it. @throws ConnectionError, or the
   * signal's reason once aborted.
   */
  open(request: WireRequest, signal: AbortSignal, upload?: AsyncIterable<Uint8Array>): Promise<ExchangeReply>;
  /** Returns the sentence for a stream that broke later. */
  explain(error: unknown): ConnectionError;
  /** The same client, whose calls in progress this signal ends, too. */
  endingWith(signal: AbortSignal): HttpClient;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { url, token, timeoutMs = 30_000, signal: stop, agent = keepingAgent(url) } = options;
  const base = url.replace(/\/+$/, '');

  async function request(
    request: WireRequest,
    signal: AbortSignal,
    upload?: AsyncIterable<Uint8Array>,
  ): Promise<ExchangeReply> {
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    return exchange(base + request.url, {
      method: request.method,
      headers: { ...request.headers, ...authorization },
      body: upload ?? request.body,
      agent,
      signal,
    });
  }

  return {
    url,
    explain: (error) => explain(error, url, timeoutMs),
    endingWith: (signal) =>
      createHttpClient({
        ...options,
        agent,
        signal: stop === undefined ? signal : AbortSignal.any([signal, stop]),
      }),
    async send(wire) {
      try {
        const late = AbortSignal.timeout(timeoutMs);
        const response = await request(wire, stop === undefined ? late : AbortSignal.any([late, stop]));
        const body = await response.text();
        return { status: response.status, headers: response.headers, text: async () => body };
      } catch (error) {
        throw explain(error, url, timeoutMs);
      }
    },
    async open(wire, signal, upload) {
      const late = new AbortController();
      const waitMs = upload === undefined ? timeoutMs : undefined;
      const timer =
        waitMs && setTimeout(() => late.abort(new DOMException('no headers', 'TimeoutError')), waitMs);
      try {
        return await request(wire, AbortSignal.any([signal, late.signal]), upload);
      } catch (error) {
        signal.throwIfAborted();
        throw explain(error, url, timeoutMs);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Connections are reused. */
function keepingAgent(url: string): Agent {
  const { Agent } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  return new Agent({ keepAlive: true });
}

const reasonByCode: Record<string, ConnectionReason> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'unreachable',
  EPROTO: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls',
  CERT_HAS_EXPIRED: 'tls',
  CERT_NOT_YET_VALID: 'tls',
};

function explain(error: unknown, url: string, timeoutMs: number): ConnectionError {
  if (error instanceof ConnectionError) return error;
  if (error instanceof Error && error.name === 'TimeoutError')
    return new ConnectionError(
      'timeout',
      `${url} did not answer within ${timeoutMs / 1000} seconds`,
      'try again, or check the broker',
    );
  const code = deepestCode(error) ?? 'unknown cause';
  const tls = /^(?:ERR_TLS|ERR_SSL|CERT_)/.test(code);
  const reason = tls ? 'tls' : (reasonByCode[code] ?? 'broken');
  return new ConnectionError(reason, ...faultAndRemedy(reason, url, code));
}

function faultAndRemedy(reason: ConnectionReason, url: string, code: string): [string, string] {
  if (reason === 'refused')
    return [
      `nothing answers at ${url} (${code})`,
      `start the broker with "${svcCommand} serve", or pass another --url`,
    ];
  if (reason === 'unreachable')
    return [`${url} cannot be reached (${code})`, 'check the address and the network'];
  if (reason === 'tls')
    return [
      `there is no secure connection to ${url} (${code})`,
      'check that the address is right and that its certificate is trusted',
    ];
  const cause = code === 'unknown cause' ? '' : ` (${code})`;
  return [`the connection to ${url} broke${cause}`, 'try again, or check that a broker runs there'];
}

/** A host with several addresses wraps one cause per address. */
function deepestCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return deepestCode(inner) ?? codeOf(error);
}
