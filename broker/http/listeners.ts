/**
 * Sockets: each listener serves the same application. Plain HTTP stays on loopback by default
 * (specification/configuration.md#listening).
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { reasonOf } from '#platform/error-text.ts';
import { isLoopback } from '#platform/loopback.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { certificateFingerprint } from '../security/fingerprint.ts';
import { answerExpectation, answerMalformed } from './app.ts';

// Not imported by name: that would evaluate all exports, `fetch` included, for 13 MiB (ADR 0013).
const { createServer } = process.getBuiltinModule('node:http');
const { createServer: createHttpsServer } = process.getBuiltinModule('node:https');

/** A whole request must arrive within this time, including a large upload over a slow link. */
const requestTimeoutMs = 3_600_000;
const headersTimeoutMs = 15_000;
const keepAliveTimeoutMs = 65_000;

export interface Listener {
  url: string;
  /** The fingerprint of the certificate; null for plain HTTP. */
  fingerprint: string | null;
  /**
   * Stops accepting connections. Resolves when the last one is gone: idle connections are closed at once,
   * others when their answer is sent.
   */
  close(): Promise<void>;
  /** Ends what is still open. */
  destroy(): void;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** Allows plain HTTP on addresses that other machines can reach. */
  insecureHttp: boolean;
}

const reasonByErrorCode: Record<string, string> = {
  EADDRINUSE: 'the port is in use; stop the other program, or choose another port with --port',
  EACCES: 'the port needs more rights; choose a port above 1023 with --port',
  EADDRNOTAVAIL: 'this machine does not have this address; check --host',
  ENOTFOUND: 'this host name is unknown; check --host',
};

const serverOptions = {
  requireHostHeader: false,
  headersTimeout: headersTimeoutMs,
  requestTimeout: requestTimeoutMs,
  keepAliveTimeout: keepAliveTimeoutMs,
};

/** @throws StartUpError if it cannot listen at the address. */
export async function listenHttp(
  handle: RequestListener,
  { host, port, insecureHttp }: ListenOptions,
): Promise<Listener> {
  if (!isLoopback(host) && !insecureHttp) {
    throw new StartUpError(
      `plain HTTP on ${host} would let the network read tokens; use an https block, or pass --insecure-http to accept this`,
    );
  }
  const server = createServer(serverOptions, handle);
  await listen(server, host, port);
  return { url: `http://${authorityOf(server)}`, fingerprint: null, ...lifeOf(server) };
}

export interface HttpsOptions {
  /** Undefined: all interfaces. */
  host: string | undefined;
  port: number;
  /** PEM. */
  certificate: string;
  key: string;
}

export interface SecureSocket extends Listener {
  fingerprint: string;
  port: number;
  /**
   * Shows this certificate to new connections; existing ones continue. @throws StartUpError if it cannot be
   * used.
   */
  use(certificate: string, key: string): void;
}

const oldestTls = 'TLSv1.2';

/**
 * TLS 1.2 or newer (specification/configuration.md#listening). @throws StartUpError if the certificate or the
 * address cannot be used.
 */
export async function listenHttps(
  handle: RequestListener,
  { host, port, certificate, key }: HttpsOptions,
): Promise<SecureSocket> {
  const server = usable(() =>
    createHttpsServer(
      // A client that connects and sends nothing is closed as soon as on the plain listener; Node would wait
      // two minutes.
      { ...serverOptions, handshakeTimeout: headersTimeoutMs, key, cert: certificate, minVersion: oldestTls },
      handle,
    ),
  );
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await listen(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  let fingerprint = certificateFingerprint(certificate);
  return {
    // The machine may have a new address by now.
    get url() {
      return `https://${authorityOf(server)}`;
    },
    get fingerprint() {
      return fingerprint;
    },
    port: bound,
    use(next, nextKey) {
      usable(() => server.setSecureContext({ key: nextKey, cert: next, minVersion: oldestTls }));
      fingerprint = certificateFingerprint(next);
    },
    ...lifeOf(server),
  };
}

function usable<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    const reason = reasonOf(error);
    throw new StartUpError(
      `the certificate or the key of the https block cannot be used (${reason}); create new ones with "npx svc setup --https"`,
    );
  }
}

async function listen(server: Server | HttpsServer, host: string | undefined, port: number): Promise<void> {
  const newestReply = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request: IncomingMessage, reply: ServerResponse) =>
    newestReply.set(request.socket, reply),
  );
  server.on('clientError', (error, socket) => {
    const reply = newestReply.get(socket);
    answerMalformed(error, socket, reply?.headersSent === true && !reply.writableFinished);
  });
  server.on('checkExpectation', answerExpectation);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = reasonByErrorCode[error.code ?? ''] ?? error.message;
      reject(
        new StartUpError(`cannot listen on ${host ?? 'all interfaces'}:${port}: ${reason}`, 1, {
          cause: error,
        }),
      );
    });
    server.listen({ host, port }, resolve);
  });
}

/**
 * On all interfaces, the address is the machine's own network address, so that the URL can be given to
 * others.
 */
function authorityOf(server: Server | HttpsServer): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (address === '::' || address === '0.0.0.0') return `${networkAddress() ?? 'localhost'}:${port}`;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function networkAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

function lifeOf(server: Server | HttpsServer): Pick<Listener, 'close' | 'destroy'> {
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    destroy: () => server.closeAllConnections(),
  };
}
