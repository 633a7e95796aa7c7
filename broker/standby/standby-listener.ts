/**
 * The listeners of a machine that stands by: it says that it is up, and passes every other connection on to the active
 * broker (docs/specification/standby.md#forwarding).
 */
import type { KeyObject } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { reasonOf } from '#platform/error-text.ts';
import { limits } from '#protocol/limits.ts';
import type { ListenAt } from '../broker.ts';
import { defaultHost, defaultPort } from '../broker-lifetime.ts';
import { connectionPolicy } from '../config/connection-policy.ts';
import { type HttpsPlace, ownHttpsAddresses } from '../config/https-addresses.ts';
import { sourceKey } from '../http/rate-limit.ts';
import { connectionLimit } from '../runtime/file-limit.ts';
import type { Log } from '../runtime/log.ts';
import { verdictOn } from '../wire/connection-caps.rules.ts';
import { listenRaw, listenRawHttps } from '../wire/listeners.ts';
import { endPolitely } from '../wire/polite-end.ts';
import { rawPlain, rawRefusal } from '../wire/raw-refusals.ts';
import type { Entrance } from './between-machines.ts';
import { type CopiedAddresses, readAddresses } from './copied-addresses.ts';
import { createForwarder, type Forwarder, joinBoth } from './forwarder.ts';
import { sayOnce } from './say-once.ts';

export interface StandbyListenerOptions {
  version: string;
  configPath: string;
  at: ListenAt;
  kek: KeyObject;
  log: Log;
}

export interface StandbyListener extends Pick<Forwarder, 'point'> {
  /** Of plain HTTP. */
  readonly url: string;
  /** Returns where other machines reach HTTPS here now. */
  addresses(): string[];
  /** Listens for HTTPS as the configuration says that is here now. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves when nothing is open anymore. */
  close(): Promise<void>;
}

/** @throws StartUpError if it cannot listen at the address. */
export async function listenStandingBy(options: StandbyListenerOptions): Promise<StandbyListener> {
  const { configPath, at, version, kek } = options;
  let copied = await readAddresses(configPath);
  const forwarder = createForwarder(kek);
  const seats = createSeats(() => copied);
  const answers = { version, forwarder, seats };
  const plain = createListener('plain', answers);
  const url = await listenRaw(plain.server, {
    host: at.host ?? copied.listen?.host ?? defaultHost,
    port: at.port ?? copied.listen?.port ?? defaultPort,
    insecureHttp: at.insecureHttp ?? false,
  });
  const https = createSecureSwitch(() => createListener('https', answers), options.log);
  await https.set(copied);
  return {
    url,
    point: forwarder.point,
    addresses: https.addresses,
    async refresh() {
      copied = await readAddresses(configPath);
      await https.set(copied);
    },
    async close() {
      forwarder.close();
      await Promise.all([plain.close(), https.set({})]);
    },
  };
}

interface RawListener {
  server: Server;
  close(): Promise<void>;
}

interface Answers {
  version: string;
  forwarder: Forwarder;
  seats: Seats;
}

function createListener(to: Entrance, answers: Answers): RawListener {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    open.add(near);
    near.once('close', () => open.delete(near));
    accept(near, to, answers);
  });
  return {
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const near of open) near.destroy();
      }),
  };
}

function accept(near: Socket, to: Entrance, { version, forwarder, seats }: Answers): void {
  near.on('error', () => near.destroy());
  const { remoteAddress, remotePort, localAddress } = near;
  // It is gone already.
  if (remoteAddress === undefined || remotePort === undefined || localAddress === undefined) {
    near.destroy();
    return;
  }
  const end = (text: string) => (to === 'plain' ? endPolitely(near, text) : void near.destroy());
  const seat = seats.take(near, remoteAddress);
  if (seat === null) {
    near.end(to === 'plain' ? rawRefusal('too_many_connections') : '', () => near.destroy());
    return;
  }
  readBeginning(near, to === 'plain' ? isForMachine : () => false, async (isOwn, beginning) => {
    seat.settle();
    if (isOwn) {
      const isReadiness = isOwn === 'ready';
      end(isReadiness ? standingBy() : rawPlain({ status: 'standby', version }));
      return;
    }
    const far = await forwarder.open(near, { to, client: { remoteAddress, remotePort, localAddress } });
    if (far === null) end(standingBy());
    else if (near.destroyed) far.destroy();
    else {
      far.write(beginning);
      joinBoth(near, far);
    }
  });
}

const standingBy = (): string => rawRefusal('standing_by', { 'retry-after': '1' });

type Own = 'health' | 'ready' | false;
const ownRequests: Readonly<Record<string, Own>> = { 'GET /healthz': 'health', 'GET /readyz': 'ready' };

/** Whether a connection begins with a request that this machine answers itself; null if that is not known yet. */
function isForMachine(beginning: Buffer): Own | null {
  const text = beginning.toString('latin1', 0, 16);
  for (const [line, own] of Object.entries(ownRequests)) {
    if (text.length <= line.length && line.startsWith(text)) return null;
    if (text.startsWith(line) && ' ?'.includes(text.charAt(line.length))) return own;
  }
  return false;
}

/** Calls `then` with the first bytes, when they say for whom they are. The connection is paused. */
function readBeginning(
  near: Socket,
  decide: (beginning: Buffer) => Own | null,
  then: (isOwn: Own, beginning: Buffer) => Promise<void>,
): void {
  const destroy = () => void near.destroy();
  const overdue = setTimeout(destroy, limits.connections.headersMs);
  let beginning = Buffer.alloc(0);
  function take(arrived: Buffer): void {
    beginning = Buffer.concat([beginning, arrived]);
    const isOwn = decide(beginning);
    if (isOwn === null) return;
    clearTimeout(overdue);
    near.off('data', take).off('end', destroy).pause();
    void then(isOwn, beginning);
  }
  near.once('close', () => clearTimeout(overdue));
  near.on('data', take).on('end', destroy);
}

interface Seats {
  /** Null if there is none left. `settle`: it is no longer one that makes room for others. */
  take(near: Socket, address: string): { settle(): void } | null;
}

/** The limits of the active broker's own listeners; each connection needs two. */
function createSeats(copied: () => CopiedAddresses): Seats {
  const possible = connectionLimit();
  const countBySource = new Map<string, number>();
  /** Those that have sent nothing, the oldest first. */
  const silent = new Set<Socket>();
  let open = 0;
  return {
    take(near, address) {
      const policy = connectionPolicy(copied().listen, possible === null ? null : Math.floor(possible / 2));
      const source = sourceKey(address);
      const ofSource = countBySource.get(source) ?? 0;
      const verdict = verdictOn({ isExempt: policy.isExempt(address), ofSource }, open, policy.caps);
      if (verdict === 'too many of the source') return null;
      if (verdict === 'make room') {
        const [oldest] = silent;
        if (oldest === undefined) return null;
        silent.delete(oldest);
        oldest.destroy();
      }
      open += 1;
      countBySource.set(source, ofSource + 1);
      silent.add(near);
      near.once('close', () => {
        open -= 1;
        silent.delete(near);
        const left = (countBySource.get(source) ?? 1) - 1;
        if (left === 0) countBySource.delete(source);
        else countBySource.set(source, left);
      });
      return { settle: () => void silent.delete(near) };
    },
  };
}

/** HTTPS as the configuration says, which may come, change, and go while the machine stands by. */
function createSecureSwitch(create: () => RawListener, log: Log) {
  let present: { key: string; listener: RawListener; at: HttpsPlace } | null = null;
  const say = sayOnce((reason) => {
    if (reason !== null) log.warn({ reason }, 'this machine passes no HTTPS on');
  });
  return {
    addresses: () => (present === null ? [] : ownHttpsAddresses(present.at)),
    async set({ https, listen }: CopiedAddresses): Promise<void> {
      const key = https === undefined ? null : `${listen?.httpsHost} ${https.port}`;
      if (key === (present?.key ?? null)) return;
      await present?.listener.close();
      present = null;
      if (key === null || https === undefined) return;
      const listener = create();
      try {
        const host = listen?.httpsHost;
        const port = await listenRawHttps(listener.server, host, https.port);
        present = { key, listener, at: { host, port } };
        say(null);
      } catch (error) {
        say(reasonOf(error));
      }
    },
  };
}
