/**
 * The broker behind one seam. It runs in this process, with its stores on their own threads. Moving it to a
 * utility process would change only this file.
 */
import { reasonOf } from '#platform/error-text.ts';
import type { Env } from '#protocol/paths.ts';
import {
  type Broker,
  type BrokerOptions,
  createBroker,
  type KeyKeeping,
  type ListenAt,
  type SecureListener,
  type Term,
  termOf,
} from '../broker/create-broker.ts';
import { passedOnRequest } from './passed-on-request.ts';
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
  /** The address of the loopback listener; empty while nothing listens. */
  readonly address: string;
  /**
   * Resolves when the broker runs, stands by, or has failed, as `state` says. Never throws. A second call while it
   * starts waits for the first. After `stop`, it does nothing.
   */
  start(): Promise<void>;
  /** Starts again if the last start failed. If one is under way, its outcome decides. Never throws. */
  startAgain(): Promise<void>;
  /**
   * Stops the broker as `muster serve` does: it accepts nothing more, sends `bye` to streams, answers pending
   * requests, closes the readers, and closes the writer after a checkpoint. It does not wait for `prepare`.
   */
  stop(): Promise<void>;
  /** Handles a request without a socket, or passes it on. @throws Error if nobody answers it. */
  request(request: HostRequest): Promise<HostReply>;
  /** Path and fragment of the page that sets the broker up; null once it is set up. */
  readonly setupPage: string | null;
  /** The HTTPS listener for the LAN; null while the broker is not running. */
  readonly lan: SecureListener | null;
  readonly key: KeyKeeping | null;
}

export interface BrokerHostDeps {
  options: BrokerOptions;
  /**
   * Called before each start, so that a start can find what was missing at the one before. `machines`: the settings of
   * several machines, unless they are in the environment.
   */
  prepare(): Promise<Pick<BrokerOptions, 'keychain'> & { machines?: Env }>;
  listen: ListenAt;
  /** Of this program. */
  version: string;
  /**
   * Called when another machine may be the active one: from then on, nothing is answered here. Start the program again.
   */
  onLost(reason: string): void;
  /** Called when `state` changed. */
  onState(): void;
  /** Called with notices of the broker for the person who runs it. */
  onNotice(notice: string): void;
}

/** The name of this program in the list of sessions. */
const userAgent = `Electron/${process.versions.electron ?? '0'} (${process.platform})`;

export function createBrokerHost({
  options,
  prepare,
  listen,
  version,
  onLost,
  onState,
  onNotice,
}: BrokerHostDeps): BrokerHost {
  let broker: Broker | null = null;
  let term: Term | null | undefined;
  let starting: { outcome: Promise<void>; end: Promise<void> } | null = null;
  let isLost = false;
  const ending = new AbortController();
  const end = Promise.withResolvers<null>();
  ending.signal.addEventListener('abort', () => end.resolve(null));
  let state: BrokerState = { kind: 'stopped' };
  const become = (next: BrokerState): void => {
    state = next;
    onState();
  };
  const beginTerm = (machines: Env, onStandingBy: () => void) => {
    const env = options.env ?? process.env;
    const isKept = machines.SVC_STANDBY_URL !== undefined;
    const isKeyKept = isKept && env.SVC_KEK === undefined;
    return termOf({
      ...options,
      keyPlace: isKeyKept ? `the key that the app keeps beside "${options.configPath}"` : undefined,
      env: { ...env, ...machines },
      version,
      at: listen,
      onListening(url) {
        become({ kind: 'standingBy', url });
        onStandingBy();
      },
      onTeam(isThere) {
        if (state.kind === 'standingBy' && !isThere) become({ kind: 'waiting', url: state.url, isKept });
        else if (state.kind === 'waiting' && isThere) become({ kind: 'standingBy', url: state.url });
      },
      onLost(reason) {
        isLost = true;
        become({ kind: 'stopping' });
        onLost(reason);
      },
      signal: ending.signal,
    });
  };

  async function launch(onStandingBy: () => void): Promise<void> {
    if (broker !== null || ending.signal.aborted) return;
    become({ kind: 'starting' });
    try {
      const prepared = await Promise.race([prepare(), end.promise]);
      if (prepared === null || ending.signal.aborted) return become({ kind: 'stopped' });
      const { machines = {}, ...more } = prepared;
      term = await beginTerm(machines, onStandingBy);
      if (term === null) return become({ kind: 'stopped' });
      if (state.kind === 'standingBy' || state.kind === 'waiting') become({ kind: 'starting' });
      broker = await createBroker({ ...options, ...more, ...(term && { term }) });
      const [first] = await broker.listen(listen);
      for (const notice of broker.notices) onNotice(notice);
      if (!isLost) become({ kind: 'running', url: first?.url ?? '', isSetUp: broker.setupKey === null });
    } catch (error) {
      options.log.error({ err: error }, 'the broker could not be started');
      await close().catch((failure: unknown) => {
        options.log.error({ err: failure }, 'the broker that could not be started was not closed in order');
      });
      become({ kind: 'failed', reason: reasonOf(error) });
    }
  }

  /** Others may take over when the stores are closed. */
  async function close(): Promise<void> {
    const [closing, over] = [broker, term];
    broker = null;
    term = undefined;
    try {
      await closing?.close();
    } finally {
      await over?.end();
    }
  }

  function start(): Promise<void> {
    if (starting === null) {
      const standing = Promise.withResolvers<void>();
      const launched = launch(standing.resolve).finally(() => {
        starting = null;
      });
      starting = { outcome: Promise.race([launched, standing.promise]), end: launched };
    }
    return starting.outcome;
  }

  return {
    get state() {
      return state;
    },
    get address() {
      return 'url' in state ? state.url : '';
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
      await starting?.outcome;
      if (state.kind === 'failed') await start();
    },
    async stop() {
      ending.abort();
      // A start that is under way has stores open, which must be closed in order.
      await starting?.end;
      if (broker === null) return;
      become({ kind: 'stopping' });
      try {
        await close();
      } finally {
        become({ kind: 'stopped' });
      }
    },
    async request({ method, url, headers: given, body }) {
      const headers = { 'user-agent': userAgent, ...given };
      if (state.kind === 'standingBy') return passedOnRequest(state.url, { method, url, headers, body });
      // It may be stopped while it answers.
      const asked = broker;
      if (asked === null || isLost) throw new Error('the broker is not running; see its log');
      const reply = await asked.inject({
        method: method as 'GET',
        url,
        headers,
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
