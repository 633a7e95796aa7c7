/**
 * One request to a broker and its reply, over the platform's own HTTP, because fetch would cost every runner
 * and bridge 15 MiB (ADR 0013).
 */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

export interface ExchangeRequest {
  method: string;
  headers: Record<string, string>;
  /** Whole, or in pieces as they arrive. */
  body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Ends it at any time, including the body of the reply. */
  signal: AbortSignal;
  agent: Agent;
  /** Called when the request has a connection of the agent; nothing was sent, or read from the body, before. */
  onConnected?: () => void;
}

export interface ExchangeReply {
  status: number;
  /** True for a 2xx. */
  ok: boolean;
  headers: { get(name: string): string | null };
  /**
   * In pieces as they arrive, once. @throws the signal's reason once aborted, otherwise the connection's
   * error.
   */
  body(): AsyncGenerator<Buffer, undefined>;
  /** The whole body. @throws like `body`. */
  bytes(): Promise<Buffer>;
  text(): Promise<string>;
  /** Drops what is still arriving. */
  cancel(): void;
}

const isWhole = (body: ExchangeRequest['body']): body is string | Uint8Array | undefined =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array;

/**
 * Resolves with the headers; redirects are not followed. @throws the signal's reason once aborted, otherwise
 * the connection's error.
 */
export function exchange(url: string, request: ExchangeRequest): Promise<ExchangeReply> {
  const { method, body, signal, agent, onConnected } = request;
  const address = new URL(url);
  const { request: open } = process.getBuiltinModule(
    address.protocol === 'https:' ? 'node:https' : 'node:http',
  );
  const headers = { ...request.headers };
  // Without a length, some methods would send no body, and others an endless one.
  if (isWhole(body) && (body !== undefined || method !== 'GET'))
    headers['content-length'] = String(Buffer.byteLength(body ?? ''));
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const outgoing = open(address, { method, headers, agent, signal }, (incoming) => {
      // A refusal arrived before everything was sent: the rest is neither waited for nor sent.
      incoming.on('end', () => {
        if (!outgoing.writableFinished) outgoing.destroy();
      });
      resolve(replyOf(incoming, signal));
    });
    outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    // A request that still waits for its connection learns of an abort only once it has one.
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    // A signal that outlives the request would keep its body.
    outgoing.once('close', () => signal.removeEventListener('abort', onAbort));
    outgoing.once('socket', () => {
      onConnected?.();
      if (!isWhole(body)) sendPieces(body, outgoing);
    });
    if (isWhole(body)) outgoing.end(body);
  });
}

/** The connection's own error says why when it breaks; what the source throws ends the request. */
function sendPieces(body: AsyncIterable<Uint8Array>, outgoing: ClientRequest): void {
  const source = Readable.from(body, { objectMode: false });
  source.on('error', (error) => outgoing.destroy(error)).pipe(outgoing);
  outgoing.on('close', () => source.destroy());
}

function replyOf(incoming: IncomingMessage, signal: AbortSignal): ExchangeReply {
  const status = incoming.statusCode ?? 0;
  // Once nobody reads the reply anymore, its end is not an error.
  incoming.on('error', () => undefined);
  async function* body(): AsyncGenerator<Buffer, undefined> {
    try {
      for await (const chunk of incoming) yield chunk;
      // A connection that ends early is a normal end for some streams; here, the reply is incomplete.
      if (!incoming.complete) throw new Error('the reply ended early');
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }
  async function bytes(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of body()) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  return {
    status,
    ok: status >= 200 && status <= 299,
    headers: {
      get(name) {
        const value = incoming.headers[name.toLowerCase()];
        return value === undefined ? null : String(value);
      },
    },
    body,
    bytes,
    text: async () => (await bytes()).toString(),
    cancel: () => void incoming.destroy(),
  };
}
