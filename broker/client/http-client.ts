/** Requests to one broker, with the token (specification/api.md). */
import type { Agent } from 'node:http';
import { codeOf } from '#platform/error-text.ts';
import { svcCommand } from '#platform/svc-command.ts';
import type { Send, WireRequest } from '#protocol/client.ts';
import { type Address, type AddressTurns, createAddressTurns } from './address-turns.ts';
import { ConnectionError, type ConnectionReason } from './connection-error.ts';
import { type ExchangeReply, exchange } from './http-exchange.ts';
import { createRepeatingSend } from './repeating-send.ts';

export interface HttpClientOptions {
  /** The broker's address; a path in it is a prefix. */
  url: string;
  token: string | null;
  /** For each attempt of a call; for a stream, until its headers have arrived. 30 s by default. */
  timeoutMs?: number;
  /** Ends every call in progress. */
  signal?: AbortSignal;
  /** The agent whose connections are used; a caller that pins a certificate passes its own. */
  agent?: Agent | undefined;
  /**
   * Further addresses of the same broker, tried in turn when no connection can be opened. Only for an `agent` that pins a
   * key, as theirs must.
   */
  further?: readonly Address[];
  /** Called whenever a live stream begins: the broker may have other addresses now. */
  onStream?: ((http: HttpClient) => void) | undefined;
}

export interface HttpClient {
  /** The address that a person gave, whichever is used. */
  readonly url: string;
  /** One call, with its whole reply; sent again while another machine takes over. @throws ConnectionError. */
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
  /** The same client with another token. */
  withToken(token: string | null): HttpClient;
  /** Tries these addresses, too, instead of the further ones so far. Copies of this client do the same. */
  replaceFurther(further: readonly Address[]): void;
  /** Tells that a live stream begins. */
  noteStream(): void;
}

/** The time that one of several addresses has to open a connection. */
const connectionMs = 3000;
const noConnection = () => Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' });

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { url, agent = keepingAgent(url), further = [] } = options;
  const turns = createAddressTurns({ url, agent });
  turns.replaceFurther(further);
  return clientOf(turns, options);
}

function clientOf(turns: AddressTurns, options: HttpClientOptions): HttpClient {
  const { token, timeoutMs = 30_000, signal: stop, onStream } = options;

  interface RequestOptions {
    signal: AbortSignal;
    upload?: AsyncIterable<Uint8Array> | undefined;
    onConnected?: () => void;
  }

  function request(
    request: WireRequest,
    { signal, upload, onConnected: onAnyConnection }: RequestOptions,
  ): Promise<ExchangeReply> {
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    return turns.reach(
      async ({ url, agent }, onConnected) => {
        const patience = new AbortController();
        const timer = turns.hasOthers && setTimeout(() => patience.abort(noConnection()), connectionMs);
        try {
          return await exchange(url.replace(/\/+$/, '') + request.url, {
            method: request.method,
            headers: { ...request.headers, ...authorization },
            body: upload ?? request.body,
            agent,
            signal: timer ? AbortSignal.any([signal, patience.signal]) : signal,
            onConnected() {
              clearTimeout(timer || undefined);
              onConnected();
              onAnyConnection?.();
            },
          });
        } catch (error) {
          throw explain(error, url, timeoutMs);
        } finally {
          clearTimeout(timer || undefined);
        }
      },
      () => !signal.aborted,
    );
  }

  const present = (error: unknown): ConnectionError => explain(error, turns.present.url, timeoutMs);
  const client: HttpClient = {
    url: turns.first.url,
    explain: present,
    endingWith: (signal) =>
      clientOf(turns, {
        ...options,
        signal: stop === undefined ? signal : AbortSignal.any([signal, stop]),
      }),
    withToken: (other) => clientOf(turns, { ...options, token: other }),
    replaceFurther: turns.replaceFurther,
    noteStream: () => onStream?.(client),
    send: createRepeatingSend({
      async attempt(wire, onConnected) {
        try {
          const late = AbortSignal.timeout(timeoutMs);
          const signal = stop === undefined ? late : AbortSignal.any([late, stop]);
          const response = await request(wire, { signal, onConnected });
          const body = await response.text();
          return { status: response.status, headers: response.headers, text: async () => body };
        } catch (error) {
          throw present(error);
        }
      },
      hasOthers: () => turns.hasOthers,
      signal: stop,
    }),
    async open(wire, signal, upload) {
      const late = new AbortController();
      const waitMs = upload === undefined ? timeoutMs : undefined;
      const timer =
        waitMs && setTimeout(() => late.abort(new DOMException('no headers', 'TimeoutError')), waitMs);
      try {
        return await request(wire, { signal: AbortSignal.any([signal, late.signal]), upload });
      } catch (error) {
        signal.throwIfAborted();
        throw present(error);
      } finally {
        clearTimeout(timer);
      }
    },
  };
  return client;
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
