/**
 * The broker behind one seam. It runs in this process, with its stores on their own threads. Moving it to a
 * utility process would change only this file.
 */
import { reasonOf } from '#platform/error-text.ts';
import {
  type Broker,
  type BrokerOptions,
  createBroker,
  type KeyKeeping,
  type ListenAt,
  type SecureListener,
} from '../broker/create-broker.ts';
import type { BrokerState } from './tray-model.rules.ts';

export interface HostRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

export interface HostReply {
  status: number;
  headers: Record<string, string>;
  setCookie: string | string[] | undefined;
  body: Buffer;
}

export interface BrokerHost {
  readonly state: BrokerState;
  /** The address of the loopback listener; empty while the broker is not running. */
  readonly address: string;
  /**
   * Never throws; `state` reports a failure. A second call while it starts waits for the first. After `stop`,
   * it does nothing.
   */
  start(): Promise<void>;
  /** Starts again if the last start failed. If one is under way, its end decides. Never throws. */
  startAgain(): Promise<void>;
  /**
   * Stops the broker as `muster serve` does: it accepts nothing more, sends `bye` to streams, answers pending
   * requests, closes the readers, and closes the writer after a checkpoint. It does not wait for `prepare`.
   */
  stop(): Promise<void>;
  /** Handles a request without a socket. @throws Error if the broker is not running. */
  request(request: HostRequest): Promise<HostReply>;
  /** Path and fragment of the page that sets the broker up; null once it is set up. */
  readonly setupPage: string | null;
  /** The HTTPS listener for the LAN; null while the broker is not running. */
  readonly lan: SecureListener | null;
  readonly key: KeyKeeping | null;
}

export interface BrokerHostDeps {
  options: BrokerOptions;
  /** Called before each start, so that a start can find what was missing at the one before. */
  prepare(): Promise<Pick<BrokerOptions, 'keychain'>>;
  listen: ListenAt;
  /** Called when `state` changed. */
  onState(): void;
  /** Called with notices of the broker for the person who runs it. */
  onNotice(notice: string): void;
}

/** What the list of sessions calls this program. */
const userAgent = `Electron/${process.versions.electron ?? '0'} (${process.platform})`;

export function createBrokerHost({
  options,
  prepare,
  listen,
  onState,
  onNotice,
}: BrokerHostDeps): BrokerHost {
  let broker: Broker | null = null;
  let starting: Promise<void> | null = null;
  let isOver = false;
  const end = Promise.withResolvers<null>();
  let state: BrokerState = { kind: 'stopped' };
  const become = (next: BrokerState): void => {
    state = next;
    onState();
  };
  async function launch(): Promise<void> {
    if (broker !== null || isOver) return;
    become({ kind: 'starting' });
    try {
      const prepared = await Promise.race([prepare(), end.promise]);
      if (isOver) return become({ kind: 'stopped' });
      broker = await createBroker({ ...options, ...prepared });
      const [first] = await broker.listen(listen);
      for (const notice of broker.notices) onNotice(notice);
      become({ kind: 'running', url: first?.url ?? '', isSetUp: broker.setupKey === null });
    } catch (error) {
      options.log.error({ err: error }, 'the broker could not be started');
      await broker?.close().catch((failure: unknown) => {
        options.log.error({ err: failure }, 'the broker that could not be started was not closed in order');
      });
      broker = null;
      become({ kind: 'failed', reason: reasonOf(error) });
    }
  }

  function start(): Promise<void> {
    starting ??= launch().finally(() => {
      starting = null;
    });
    return starting;
  }

  return {
    get state() {
      return state;
    },
    get address() {
      return state.kind === 'running' ? state.url : '';
    },
    get setupPage() {
      const key = broker?.setupKey ?? null;
      return key === null ? null : `/setup#key=${key}`;
    },
    get lan() {
      return broker?.secureListener ?? null;
    },
    get key() {
      return broker?.keyKeeping ?? null;
    },
    start,
    async startAgain() {
      await starting;
      if (state.kind === 'failed') await start();
    },
    async stop() {
      isOver = true;
      end.resolve(null);
      // A start that is under way has stores open, which must be closed in order.
      await starting;
      if (broker === null) return;
      become({ kind: 'stopping' });
      const closing = broker;
      broker = null;
      try {
        await closing.close();
      } finally {
        become({ kind: 'stopped' });
      }
    },
    async request({ method, url, headers, body }) {
      // It may be stopped while it answers.
      const asked = broker;
      if (asked === null) throw new Error('the broker is not running; see its log');
      const reply = await asked.inject({
        method: method as 'GET',
        url,
        headers: { 'user-agent': userAgent, ...headers },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : Buffer.from(body) }),
      });
      const setCookie = reply.headers['set-cookie'];
      const isSetUp = asked.setupKey === null;
      if (broker === asked && state.kind === 'running' && state.isSetUp !== isSetUp)
        become({ ...state, isSetUp });
      return {
        status: reply.statusCode,
        headers: Object.fromEntries(
          Object.entries(reply.headers)
            .filter(([name, value]) => name !== 'set-cookie' && value !== undefined)
            .map(([name, value]) => [name, String(value)]),
        ),
        setCookie,
        body: reply.rawPayload,
      };
    },
  };
}
