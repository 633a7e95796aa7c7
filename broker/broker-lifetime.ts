/** From listening to closed: plain HTTP and HTTPS, what is written now and then, and the way out, with what is under way answered. */
import type { RequestListener } from 'node:http';
import type { Broker } from './broker.ts';
import type { BrokerStreams } from './broker-streams.ts';
import type { ConfigStore } from './config/config-store.ts';
import { type Listener, listenHttp } from './http/listeners.ts';
import type { Clock } from './runtime/clock.ts';
import type { Log } from './runtime/log.ts';
import { createSecureListener, type HostedSecureListener } from './secure-listener.ts';

const defaultHost = '127.0.0.1';
const defaultPort = 8717;
const housekeepingMs = 10_000;
const drainMs = 5_000;

export interface BrokerLifetimeDeps {
  config: ConfigStore;
  streams: Pick<BrokerStreams, 'endEncrypted' | 'close'>;
  handle: RequestListener;
  onListening: () => void;
  /** Writes what is kept in memory between two looks; called every ten seconds and at the end. */
  flush: () => Promise<unknown>;
  /** Stops what runs by itself, before the sockets are closed. */
  stop: () => Promise<void>;
  /** Ends everything else, when nobody is connected any more and the last flush is done. */
  end: () => Promise<void>;
  clock: Clock;
  log: Log;
}

export interface BrokerLifetime extends Pick<Broker, 'listen' | 'close'> {
  secureListener: HostedSecureListener;
  readonly isClosing: boolean;
  /** What listens now. */
  listening(): Pick<Listener, 'url' | 'fingerprint'>[];
}

/** Housekeeping begins at once; nothing listens before `listen`. */
export function createBrokerLifetime(deps: BrokerLifetimeDeps): BrokerLifetime {
  const { config, streams, handle, onListening, flush, stop, end, clock, log } = deps;
  const plainListeners: Listener[] = [];
  let isClosing = false;
  const secureListener = createSecureListener({
    config,
    clock,
    log,
    handle,
    endStreams: streams.endEncrypted,
    isClosing: () => isClosing,
    drainMs,
  });

  function open(): Listener[] {
    const { socket } = secureListener;
    return socket === null ? plainListeners : [...plainListeners, socket];
  }

  const listening = () => open().map(({ url, fingerprint }) => ({ url, fingerprint }));

  let renewalFault: string | null = null;
  /** Another address, or a certificate near its end; what fails is said once, not at each look. */
  async function renewCertificate(): Promise<void> {
    try {
      await secureListener.renew();
      renewalFault = null;
    } catch (error) {
      const fault = String(error);
      if (fault !== renewalFault) log.warn({ err: error }, 'the certificate could not be renewed');
      renewalFault = fault;
    }
  }

  const housekeeping = setInterval(() => {
    void renewCertificate();
    flush().catch((err: unknown) => log.warn({ err }, 'housekeeping is put off'));
  }, housekeepingMs).unref();

  /** Who does not take its answer in time is cut. */
  async function drain(): Promise<void> {
    const listeners = open();
    streams.close();
    const overdue = setTimeout(() => {
      for (const listener of listeners) listener.destroy();
    }, drainMs).unref();
    await Promise.all(listeners.map((listener) => listener.close()));
    clearTimeout(overdue);
  }

  return {
    secureListener,
    get isClosing() {
      return isClosing;
    },
    listening,
    async listen(at = {}) {
      const listen = config.current?.listen;
      const plain = await listenHttp(handle, {
        host: at.host ?? listen?.host ?? defaultHost,
        port: at.port ?? listen?.port ?? defaultPort,
        insecureHttp: at.insecureHttp ?? false,
      });
      try {
        await secureListener.open(at.isSecureOptional ?? false);
        plainListeners.push(plain);
      } catch (error) {
        await plain.close();
        throw error;
      }
      onListening();
      await renewCertificate();
      return listening();
    },
    async close() {
      if (isClosing) return;
      isClosing = true;
      clearInterval(housekeeping);
      await stop();
      await secureListener.settle();
      await drain();
      await flush().catch((err: unknown) => log.warn({ err }, 'last-used times were not written'));
      await end();
    },
  };
}
