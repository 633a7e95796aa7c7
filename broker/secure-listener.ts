/**
 * HTTPS for the LAN, turned on and off, and its certificate renewed, while the broker runs
 * (specification/desktop.md#lan-access). Steps run one at a time; a step that fails leaves the configuration
 * and the listener as they were.
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { codeOf } from '#platform/error-text.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import { type BrokerError, refusal, refuse } from '#protocol/errors.ts';
import type { SecureAccess, SecureListener } from './broker.ts';
import type { ConfigStore } from './config/config-store.ts';
import { httpsOptions, isOwnBlock, tlsFiles } from './config/https-block.ts';
import { type MadeFiles, makeHttpsFiles, ownBlock } from './config/https-files.ts';
import { renewalNotice, renewalReason } from './config/leaf-renewal.rules.ts';
import { type Interfaces, type OwnNames, ownNames, urlHost } from './config/own-names.ts';
import type { SvcConfig } from './config/svc-config.ts';
import type { Clock } from './runtime/clock.ts';
import type { Log } from './runtime/log.ts';
import { StartUpError } from './runtime/start-up-error.ts';
import { wholeFingerprint } from './security/fingerprint.ts';
import type { ConnectionGuard } from './wire/connection-guard.ts';
import { listenHttps, type SecureSocket } from './wire/listeners.ts';

const defaultHttpsPort = 8718;

export interface SecureListenerDeps {
  config: ConfigStore;
  clock: Clock;
  log: Log;
  handle: RequestListener;
  guard: ConnectionGuard;
  /** Sends `bye` to the streams that use TLS. */
  endStreams(): void;
  isClosing(): boolean;
  /** How long requests in progress may take when it is turned off, ms. */
  drainTimeoutMs: number;
  /** Resolves when other machines have the files as they are on disk. Called before new ones are used. */
  keepFiles?: (() => Promise<void>) | undefined;
  /** The system's interfaces; tests replace it. */
  interfaces?: () => Interfaces;
  listen?: typeof listenHttps;
}

export interface HostedSecureListener extends SecureListener {
  /** Null while it is off. */
  readonly socket: SecureSocket | null;
  /** PEM of the authority, for browsers. */
  readonly authority: string | null;
  /**
   * Listens if the configuration has the block. @throws StartUpError, which an optional one keeps as its
   * fault.
   */
  open(isOptional?: boolean): Promise<void>;
  /** Resolves when no step is in progress. */
  idle(): Promise<void>;
}

interface Shown {
  socket: SecureSocket;
  leaf: X509Certificate;
  /** PEM. */
  key: string;
  /** PEM; null for certificates that the broker did not create, which it never touches. */
  authority: string | null;
  /**
   * The names for which it was last issued here, so that a name which no certificate can hold is not tried
   * repeatedly.
   */
  triedFor: string;
}

const covers = (leaf: X509Certificate, name: string): boolean =>
  (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined;

export function createSecureListener(deps: SecureListenerDeps): HostedSecureListener {
  const { interfaces = networkInterfaces, listen = listenHttps, keepFiles } = deps;
  const host: Host = { ...deps, interfaces, listen, keepFiles, shown: null, fault: null };
  const inTurn = createSerialQueue();
  return {
    get socket() {
      return host.shown?.socket ?? null;
    },
    get authority() {
      return host.shown?.authority ?? null;
    },
    get access() {
      return host.shown === null ? null : accessOf(host, host.shown);
    },
    get fault() {
      return host.fault;
    },
    open: (isOptional = false) =>
      inTurn(async () => void (await openConfigured(host))).catch((error: unknown) => {
        if (!isOptional || !(error instanceof StartUpError)) throw error;
        host.log.error({ err: error }, 'LAN access stays off');
        host.fault = refusalOf(error).message;
      }),
    start: () => inTurn(() => start(host)).catch(refuseClearly),
    stop: () => inTurn(() => stop(host)),
    renew: () => inTurn(() => renew(host)),
    idle: () => inTurn(async () => undefined),
  };
}

/** The state that the steps work on: the listener that is shown now, and their dependencies. */
interface Host extends Required<SecureListenerDeps> {
  /** Null while it is off. */
  shown: Shown | null;
  fault: string | null;
}

const namesOf = ({ config, interfaces }: Host) => ownNames(config.current?.listen?.hosts ?? [], interfaces());

async function makeFiles(
  { config, clock, log, keepFiles }: Host,
  names: OwnNames,
  key?: string,
): Promise<MadeFiles> {
  const teamName = config.current?.team.name ?? 'team';
  const made = await makeHttpsFiles(config.path, { teamName, names, now: clock(), key });
  await keepFiles?.();
  if (made.renewedAuthority !== null)
    log.warn({ reason: made.renewedAuthority }, renewalNotice[made.renewedAuthority]);
  return made;
}

function accessOf(host: Host, { socket, leaf, authority }: Shown): SecureAccess {
  const { url, fingerprint, port } = socket;
  const others = namesOf(host).network.map((name) => `https://${urlHost(name)}:${port}`);
  return {
    url,
    urls: host.config.current?.listen?.httpsHost === undefined ? [...new Set([url, ...others])] : [url],
    fingerprint,
    authorityFingerprint: authority === null ? null : wholeFingerprint(authority),
    expiresAt: leaf.validToDate.getTime(),
  };
}

async function start(host: Host): Promise<SecureAccess> {
  const { config, isClosing } = host;
  if (host.shown !== null) return accessOf(host, host.shown);
  host.fault = null;
  if (isClosing()) refuse('shutting_down');
  const { current } = config;
  if (current === null) refuse('not_set_up');
  const isForeign = current.https !== undefined && !isOwnBlock(config);
  const shown = isForeign ? await openConfigured(host) : await openOwn(host, current);
  if (shown === null) throw new Error('HTTPS did not open');
  return accessOf(host, shown);
}

/**
 * Listens with certificates of its own and writes the block; if the block cannot be written, nothing listens.
 */
async function openOwn(host: Host, { listen: configured, https }: SvcConfig): Promise<Shown> {
  const { config, handle, guard, listen, log } = host;
  const names = namesOf(host);
  const { addresses, all } = names;
  const listenHost = configured?.httpsHost;
  if (listenHost === undefined && addresses.length === 0) refuse('no_network');
  const port = https?.port ?? configured?.httpsPort ?? defaultHttpsPort;
  const made = await makeFiles(host, names);
  const socket = await listen(handle, { host: listenHost, port, ...made, guard });
  try {
    await config.update((before) => ({ ...before, https: ownBlock(config.path, before.https, port) }));
  } catch (error) {
    socket.destroy();
    await socket.close();
    throw error;
  }
  host.shown = {
    socket,
    leaf: new X509Certificate(made.certificate),
    key: made.key,
    authority: made.authority,
    triedFor: all.join(),
  };
  log.info({ url: socket.url, fingerprint: socket.fingerprint }, 'LAN access was turned on');
  return host.shown;
}

/** Listens as the configuration says. Null if the configuration has no block. */
async function openConfigured(host: Host): Promise<Shown | null> {
  const { config, handle, guard, listen } = host;
  const files = await httpsOptions(config);
  if (files === null || host.shown !== null) return host.shown;
  const socket = await listen(handle, { ...files, guard });
  const authority = isOwnBlock(config) ? await authorityAt(tlsFiles(config.path).authority) : null;
  const leaf = new X509Certificate(files.certificate);
  host.shown = { socket, leaf, key: files.key, authority, triedFor: '' };
  return host.shown;
}

async function stop(host: Host): Promise<void> {
  const { config, log } = host;
  const closing = host.shown;
  if (closing === null) return;
  if (!isOwnBlock(config)) refuse('foreign_certificates', { path: config.path });
  await config.update(({ https, ...before }) => ({
    ...before,
    // Clients that joined keep the address, port included, for when it is on again.
    ...(https !== undefined &&
      https.port !== defaultHttpsPort && { listen: { ...before.listen, httpsPort: https.port } }),
  }));
  host.shown = null;
  await close(host, closing);
  log.info('LAN access was turned off');
}

async function close({ endStreams, drainTimeoutMs }: Host, { socket }: Shown): Promise<void> {
  const closed = socket.close();
  endStreams();
  const overdue = setTimeout(() => socket.destroy(), drainTimeoutMs).unref();
  await closed;
  clearTimeout(overdue);
}

async function renew(host: Host): Promise<boolean> {
  const { config, clock, log, shown } = host;
  if (shown === null || !isOwnBlock(config)) return false;
  const names = namesOf(host);
  const { all } = names;
  const { leaf, key, authority, triedFor } = shown;
  const uncovered = all.join() === triedFor ? [] : all.filter((name) => !covers(leaf, name));
  // Loaded with the certificates, which most brokers never need.
  const { hasLimits } = await import('./security/name-constraints.ts');
  const isUnlimited = authority !== null && !hasLimits(new X509Certificate(authority).raw);
  const reason = renewalReason({ uncovered, expiresAt: leaf.validToDate.getTime(), isUnlimited }, clock());
  if (reason === null) return false;
  // Uses the key in use, whatever happened to its file, because another one would disconnect everybody.
  const made = await makeFiles(host, names, key);
  shown.socket.use(made.certificate, key);
  host.shown = {
    ...shown,
    leaf: new X509Certificate(made.certificate),
    authority: made.authority,
    triedFor: all.join(),
  };
  log.info({ reason, names: all }, 'the certificate was renewed under the same key');
  return true;
}

/**
 * Null if it cannot be read: the listener does not need it, and the next certificate reports what is wrong
 * with it.
 */
async function authorityAt(path: string): Promise<string | null> {
  try {
    const text = await readFile(path, 'utf8');
    new X509Certificate(text);
    return text;
  } catch {
    return null;
  }
}

type HttpsReason =
  | 'https_port_in_use'
  | 'https_port_forbidden'
  | 'https_address_unavailable'
  | 'https_host_unknown';

const reasonByCode = new Map<string, HttpsReason>([
  ['EADDRINUSE', 'https_port_in_use'],
  ['EACCES', 'https_port_forbidden'],
  ['EADDRNOTAVAIL', 'https_address_unavailable'],
  ['ENOTFOUND', 'https_host_unknown'],
]);

/** The sentences that stop a start are about a command line; here, a person looks at a page. */
function refuseClearly(error: unknown): never {
  throw error instanceof StartUpError ? refusalOf(error) : error;
}

function refusalOf({ cause, message }: StartUpError): BrokerError {
  const reason = reasonByCode.get(codeOf(cause) ?? '');
  return reason === undefined ? refusal('https_failed', { cause: message }) : refusal(reason);
}
