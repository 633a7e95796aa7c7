/** A plain and a TLS listener with one guard and short times, and clients that misbehave. */
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { createAuthority, issueLeaf } from '../../broker/security/certificates.ts';
import { testGuard } from '../../broker/testing/test-guard.ts';
import type { ConnectionGuard, ConnectionGuardOptions } from '../../broker/wire/connection-guard.ts';
import { type Listener, type ListenerTimes, listenHttp, listenHttps } from '../../broker/wire/listeners.ts';

/** Short enough to be waited for; no test says how long anything took. */
export const shortTimes: ListenerTimes = {
  headersMs: 300,
  keepAliveMs: 300,
  silentEndMs: 200,
  lingerMs: 600,
  lingerBytes: 8 * 1024 * 1024,
};

export const transports = ['plain', 'TLS'] as const;
export type Transport = (typeof transports)[number];

export interface GuardedListeners {
  guard: ConnectionGuard;
  /** Resolves when the connection is open and, with TLS, encrypted. */
  dial(transport: Transport): Promise<Socket>;
  /** A TCP connection to either port. */
  dialTcp(transport: Transport): Promise<Socket>;
  stop(): Promise<void>;
}

export async function startGuardedListeners(
  handle: RequestListener,
  options: Partial<ConnectionGuardOptions> = {},
): Promise<GuardedListeners> {
  const now = Date.now();
  const authority = await createAuthority({ teamName: 'Test', names: ['127.0.0.1'], now });
  const { key, certificate } = await issueLeaf({ authority, names: ['127.0.0.1'], now });
  const guard = testGuard(options);
  const at = { host: '127.0.0.1', port: 0, guard, times: shortTimes };
  const listeners: Record<Transport, Listener> = {
    plain: await listenHttp(handle, { ...at, insecureHttp: false }),
    TLS: await listenHttps(handle, { ...at, key, certificate }),
  };
  const portOf = (transport: Transport) => Number(new URL(listeners[transport].url).port);
  const sockets = new Set<Socket>();

  function opened(socket: Socket, event: string): Promise<Socket> {
    sockets.add(socket);
    return new Promise((resolve) => {
      // A connection that the broker refuses or resets is what these tests are about.
      socket.on('error', () => resolve(socket)).once(event, () => resolve(socket));
    });
  }

  return {
    guard,
    dial: (transport) =>
      transport === 'plain'
        ? opened(connect(portOf('plain'), '127.0.0.1'), 'connect')
        : opened(
            connectSecurely({ port: portOf('TLS'), host: '127.0.0.1', ca: authority.certificate }),
            'secureConnect',
          ),
    dialTcp: (transport) => opened(connect(portOf(transport), '127.0.0.1'), 'connect'),
    async stop() {
      for (const socket of sockets) socket.destroy();
      guard.stop();
      await Promise.all(Object.values(listeners).map((listener) => listener.close()));
    },
  };
}

/** Returns what came until the connection is closed; a reset is a close. */
export function everythingFrom(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(text)).resume();
  });
}
