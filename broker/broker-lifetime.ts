/**
 * From listening to closed: plain HTTP and HTTPS, periodic writes, and the end, at which requests in progress
 * are answered.
 */
import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrokerAddress } from '#protocol/addresses.ts';
import type { Broker } from './broker.ts';
import type { BrokerStreams } from './broker-streams.ts';
import { connectionPolicy } from './config/connection-policy.ts';
import { ownHttpsAddresses, teamHttpsAddresses } from './config/https-addresses.ts';
import type { Foundation } from './foundation.ts';
import { connectionLimit } from './runtime/file-limit.ts';
import { createSecureListener, type HostedSecureListener } from './secure-listener.ts';
import type { Door } from './standby/door.ts';
import type { Term } from './standby/term.ts';
import { type ConnectionGuard, createConnectionGuard, type OnLimit } from './wire/connection-guard.ts';
import { type Listener, listenHttp, optionsInFile } from './wire/listeners.ts';

export const defaultHost = '127.0.0.1';
export const defaultPort = 8717;
const housekeepingMs = 10_000;
const drainTimeoutMs = 5_000;

export interface BrokerLifetimeDeps extends Pick<Foundation, 'config' | 'clock' | 'log'> {
  streams: Pick<BrokerStreams, 'endEncrypted' | 'close'>;
  onListening: () => void;
  /** Writes what is kept in memory between two flushes. Called every ten seconds and at the end. */
  flush: () => Promise<unknown>;
  /** Work that can wait for the next start. Called every ten seconds. */
  keepUp: () => Promise<unknown>;
  onLimit: OnLimit;
  /** Only of a broker for which others stand by. */
  openDoor: Term['openDoor'] | undefined;
  keepFiles: Term['keepFiles'] | undefined;
}

export interface BrokerLifetime extends Pick<Broker, 'listen'> {
  connections: ConnectionGuard;
  secureListener: HostedSecureListener;
  readonly isClosing: boolean;
  /** Returns what listens now. */
  listening(): Pick<Listener, 'url' | 'fingerprint'>[];
  /** Returns where clients on other machines reach the team. */
  addresses(): BrokerAddress[];
  /** Begins housekeeping, and lets `handle` answer requests. Call it once, before `listen`. */
  begin(handle: RequestListener): void;
  /**
   * Stops accepting connections, sends `bye` to streams, answers requests in progress, and writes what is
   * kept in memory.
   */
  end(): Promise<void>;
}

export function createBrokerLifetime(deps: BrokerLifetimeDeps): BrokerLifetime {
  const { config, streams, onListening, flush, keepUp, onLimit, openDoor, keepFiles, clock, log } = deps;
  const plainListeners: Listener[] = [];
  let isClosing = false;
  let answer: RequestListener | null = null;
  let housekeeping: NodeJS.Timeout | undefined;
  const handle: RequestListener = (request, response) => answer?.(request, response);
  const policy = createPolicy(config);
  const connections = createConnectionGuard({
    caps: () => policy().caps,
    isExempt: (address) => policy().isExempt(address),
    onLimit,
  });
  const secureListener = createSecureListener({
    config,
    clock,
    log,
    handle,
    guard: connections,
    endStreams: streams.endEncrypted,
    isClosing: () => isClosing,
    drainTimeoutMs,
    keepFiles,
  });
  let door: Door | undefined;
  const renewCertificate = createRenewal(secureListener, log);

  function open(): Listener[] {
    const { socket } = secureListener;
    return socket === null ? plainListeners : [...plainListeners, socket];
  }
  const listening = () => open().map(({ url, fingerprint }) => ({ url, fingerprint }));

  return {
    connections,
    secureListener,
    get isClosing() {
      return isClosing;
    },
    listening,
    addresses() {
      const { socket } = secureListener;
      if (socket === null) return [];
      const { httpsHost: host, hosts = [] } = config.current?.listen ?? {};
      const { port, fingerprint } = socket;
      const own = ownHttpsAddresses({ host, port });
      return teamHttpsAddresses(own, door?.addresses ?? [], { hosts, port }).map((url) => ({
        url,
        fingerprint,
      }));
    },
    begin(application) {
      answer = application;
      housekeeping = setInterval(() => {
        void renewCertificate();
        Promise.all([flush(), keepUp()]).catch((err: unknown) =>
          log.warn({ err }, 'housekeeping is put off'),
        );
      }, housekeepingMs).unref();
    },
    async listen(at = {}) {
      const plain = await listenHttp(handle, {
        ...plainAddress(config.current?.listen, at),
        guard: connections,
      });
      try {
        await secureListener.open(at.isSecureOptional ?? false);
        plainListeners.push(plain);
      } catch (error) {
        await plain.close();
        throw error;
      }
      door = openDoor?.((to, socket, client) => {
        const listener = to === 'plain' ? plain : secureListener.socket;
        if (listener === null) socket.destroy();
        else listener.receive(socket, client);
      });
      onListening();
      await renewCertificate();
      return listening();
    },
    async end() {
      isClosing = true;
      clearInterval(housekeeping);
      // Others may never get the certificate that is being made, while their database is away.
      await Promise.race([secureListener.idle(), pause(drainTimeoutMs, undefined, { ref: false })]);
      streams.close();
      await closeWithin(drainTimeoutMs, [...open(), ...(door === undefined ? [] : [door])]);
      connections.stop();
      await flush().catch((err: unknown) => log.warn({ err }, 'last-used times were not written'));
    },
  };
}

/** The policy of the present configuration. */
function createPolicy(config: Foundation['config']): () => ReturnType<typeof connectionPolicy> {
  let listen = config.current?.listen;
  const possible = connectionLimit();
  let policy = connectionPolicy(listen, possible);
  return () => {
    const present = config.current?.listen;
    if (present !== listen) {
      listen = present;
      policy = connectionPolicy(listen, possible);
    }
    return policy;
  };
}

type Configured = NonNullable<Foundation['config']['current']>['listen'];

const plainAddress = (configured: Configured, at: NonNullable<Parameters<Broker['listen']>[0]>) => ({
  host: at.host ?? configured?.host ?? defaultHost,
  port: at.port ?? configured?.port ?? defaultPort,
  insecureHttp: at.insecureHttp ?? false,
  options: at.hasNoCommandLine ? optionsInFile : undefined,
});

/**
 * Renews for another address, or when the certificate is near its end. A failure is logged once, not at each
 * check.
 */
function createRenewal(secureListener: HostedSecureListener, log: Foundation['log']): () => Promise<void> {
  let lastFault: string | null = null;
  return async () => {
    try {
      await secureListener.renew();
      lastFault = null;
    } catch (error) {
      const fault = String(error);
      if (fault !== lastFault) log.warn({ err: error }, 'the certificate could not be renewed');
      lastFault = fault;
    }
  };
}

/** Closes listeners. Connections whose answer is not read in time are destroyed. */
async function closeWithin(
  timeoutMs: number,
  listeners: readonly Pick<Door, 'close' | 'destroy'>[],
): Promise<void> {
  const overdue = setTimeout(() => {
    for (const listener of listeners) listener.destroy();
  }, timeoutMs).unref();
  await Promise.all(listeners.map((listener) => listener.close()));
  clearTimeout(overdue);
}
