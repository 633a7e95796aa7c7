/** Sockets: each listener serves the same application. Plain HTTP stays on loopback unless told otherwise (D15). */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartUpError } from '../runtime/start-up-error.ts';
import { answerExpectation, answerMalformed } from './app.ts';

/** A whole request, a large upload over a slow link included, must arrive within this. */
const requestTimeoutMs = 3_600_000;
const headersTimeoutMs = 15_000;
const keepAliveTimeoutMs = 65_000;

export interface Listener {
  url: string;
  /** Stops accepting; resolves when the last connection is gone. Idle connections are closed, others when their answer is sent. */
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

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

const reasonByErrorCode: Record<string, string> = {
  EADDRINUSE: 'the port is in use; stop the program that has it, or choose another with --port',
  EACCES: 'the port needs more rights; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'this machine has no such address; check --host',
  ENOTFOUND: 'this host name is not known; check --host',
};

/** @throws StartUpError when the address cannot be listened on. */
export async function listenHttp(
  handle: RequestListener,
  { host, port, insecureHttp }: ListenOptions,
): Promise<Listener> {
  if (!isLoopback(host) && !insecureHttp) {
    throw new StartUpError(
      `plain HTTP on ${host} would let the network read tokens; use an https block, or pass --insecure-http if you mean it`,
    );
  }
  const server = createServer(
    {
      requireHostHeader: false,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    handle,
  );
  server.on('clientError', answerMalformed);
  server.on('checkExpectation', answerExpectation);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = reasonByErrorCode[error.code ?? ''] ?? error.message;
      reject(new StartUpError(`cannot listen on ${host}:${port}: ${reason}`, 1));
    });
    server.listen({ host, port }, resolve);
  });
  return { url: urlOf(server), close: () => close(server), destroy: () => server.closeAllConnections() };
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
