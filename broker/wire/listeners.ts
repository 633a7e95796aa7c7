/**
 * Sockets: each listener serves the same application. Plain HTTP stays on loopback by default
 * (specification/configuration.md#listening).
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { reasonOf } from '#platform/error-text.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { limits } from '#protocol/limits.ts';
import { isLoopback } from '#protocol/loopback.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { certificateFingerprint } from '../security/fingerprint.ts';
import type { ConnectionGuard } from './connection-guard.ts';
import { type Client, showClient } from './forwarded.ts';
import { GatheredRequest } from './gathered-request.ts';
import { type EndTimes, endPolitely } from './polite-end.ts';
import { answerExpectation, answerMalformed, rawRefusal } from './raw-refusals.ts';

// Not imported by name: that would evaluate all exports, `fetch` included, for 13 MiB (ADR 0013).
const { createServer } = process.getBuiltinModule('node:http');
const { createServer: createHttpsServer } = process.getBuiltinModule('node:https');

/** A whole request must arrive within this time, including a large upload over a slow link. */
const requestTimeoutMs = 3_600_000;

/** How often a listener that closes looks for connections that are idle by now. */
const idleLookMs = 50;

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
  /** Serves a connection that another machine accepted. It is paused, and nothing of it was read. */
  receive(socket: Socket, client: Client): void;
}

/** How long a connection may take, ms. */
export interface ListenerTimes extends EndTimes {
  headersMs: number;
  keepAliveMs: number;
}

interface Watched {
  guard: ConnectionGuard;
  /** `limits.connections` by default; tests shorten them. */
  times?: ListenerTimes | undefined;
}

export interface ListenOptions extends Watched {
  host: string;
  port: number;
  /** Allows plain HTTP on addresses that other machines can reach. */
  insecureHttp: boolean;
  /** The options that errors name; by default, those of the command line. */
  options?: AddressOptions | undefined;
}

const reasonByErrorCode: Record<string, string> = {
  EADDRINUSE: 'the port is in use; stop the other program, or choose another port with <port>',
  EACCES: 'the port needs more rights; choose a port above 1023 with <port>',
  EADDRNOTAVAIL: 'this machine does not have this address; check <host>',
  ENOTFOUND: 'this host name is unknown; check <host>',
};

/** How the person who starts the broker chooses host and port. */
export interface AddressOptions {
  host: string;
  port: string;
}

/** For whoever has no command line. */
export const optionsInFile: AddressOptions = {
  host: 'listen.host in svc.json',
  port: 'listen.port in svc.json',
};
const onCommandLine: AddressOptions = { host: '--host', port: '--port' };
const ofHttps: AddressOptions = { host: 'listen.httpsHost in svc.json', port: 'https.port in svc.json' };

const serverOptions = ({ headersMs, keepAliveMs }: ListenerTimes) => ({
  IncomingMessage: GatheredRequest,
  requireHostHeader: false,
  headersTimeout: headersMs,
  requestTimeout: requestTimeoutMs,
  keepAliveTimeout: keepAliveMs,
  connectionsCheckingInterval: headersMs / 3,
});

/** @throws StartUpError if it cannot listen at the address. */
export async function listenHttp(
  handle: RequestListener,
  { host, port, insecureHttp, guard, times = limits.connections, options = onCommandLine }: ListenOptions,
): Promise<Listener> {
  refuseExposed(host, insecureHttp);
  const server = createServer(serverOptions(times));
  answerGuarded(server, handle, guard, times);
  await listen(server, host, port, options);
  return { url: `http://${authorityOf(server)}`, fingerprint: null, ...lifeOf(server) };
}

/** @throws StartUpError unless only this machine can reach plain HTTP there, or its operator accepts the risk. */
function refuseExposed(host: string, insecureHttp: boolean): void {
  if (isLoopback(host) || insecureHttp) return;
  throw new StartUpError(
    `plain HTTP on ${host} would let the network read tokens; use an https block, or pass --insecure-http to accept this`,
  );
}

/** Listens for plain HTTP, whose bytes `server` only passes on. Returns its URL. @throws StartUpError. */
export async function listenRaw(
  server: NetServer,
  { host, port, insecureHttp }: Pick<ListenOptions, 'host' | 'port' | 'insecureHttp'>,
): Promise<string> {
  refuseExposed(host, insecureHttp);
  await listen(server, host, port, onCommandLine);
  return `http://${authorityOf(server)}`;
}

/** The same for HTTPS. `host`: undefined for all interfaces. Returns the port. */
export async function listenRawHttps(
  server: NetServer,
  host: string | undefined,
  port: number,
): Promise<number> {
  await listen(server, host, port, ofHttps);
  return (server.address() as AddressInfo).port;
}

export interface HttpsOptions extends Watched {
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
  { host, port, certificate, key, guard, times = limits.connections }: HttpsOptions,
): Promise<SecureSocket> {
  const server = usable(() =>
    createHttpsServer({
      ...serverOptions(times),
      // A client that connects and sends nothing is closed as soon as on the plain listener; Node would wait
      // two minutes.
      handshakeTimeout: times.headersMs,
      key,
      cert: certificate,
      minVersion: oldestTls,
    }),
  );
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  answerGuarded(server, handle, guard, times);
  await listen(server, host, port, ofHttps);
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
      `the certificate or the key of the https block cannot be used (${reason}); create new ones with "${svcCommand} setup --https"`,
    );
  }
}

function answerGuarded(
  server: Server | HttpsServer,
  handle: RequestListener,
  guard: ConnectionGuard,
  times: EndTimes,
): void {
  const guarded = (answer: RequestListener) => {
    const answerInTurn: RequestListener = (request, response) => {
      // The client must not send another request on a connection that ends.
      if (!server.listening) response.shouldKeepAlive = false;
      answer(request, response);
    };
    return (request: IncomingMessage, response: ServerResponse) =>
      guard.admit(request, response, answerInTurn);
  };
  guard.watch(server);
  server.on('request', guarded(handle));
  server.on('checkExpectation', guarded(answerExpectation));
  server.on('clientError', (error, socket) =>
    answerMalformed(error, socket, guard.isAnswering(socket), times),
  );
  server.on('connect', (_request, socket) => endPolitely(socket, rawRefusal('tunnel_refused'), times));
}

async function listen(
  server: NetServer,
  host: string | undefined,
  port: number,
  options: AddressOptions,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = (reasonByErrorCode[error.code ?? ''] ?? error.message)
        .replace('<host>', options.host)
        .replace('<port>', options.port);
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
function authorityOf(server: NetServer): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (address === '::' || address === '0.0.0.0') return `${networkAddress() ?? 'localhost'}:${port}`;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function networkAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

function lifeOf(server: Server | HttpsServer): Pick<Listener, 'close' | 'destroy' | 'receive'> {
  return {
    close: () =>
      new Promise((resolve) => {
        // Node does this once, and a client may keep a connection that is idle later.
        const looking = setInterval(() => server.closeIdleConnections(), idleLookMs);
        server.close(() => {
          clearInterval(looking);
          resolve();
        });
      }),
    destroy: () => server.closeAllConnections(),
    receive(socket, client) {
      showClient(socket, client, false);
      // Read from the next turn on. The guard leaves a connection alone that is stopped.
      socket.resume();
      server.emit('connection', socket);
    },
  };
}
