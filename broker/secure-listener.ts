/**
 * HTTPS for the LAN (D15), turned on and off, and its certificate renewed, while the broker runs (design "LAN access"). One step at a time;
 * a step that fails leaves the configuration and the listener as they were.
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { codeOf } from '#platform/error-text.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import { BrokerError, refuse } from '#protocol/errors.ts';
import type { SecureAccess, SecureListener } from './broker.ts';
import type { ConfigStore } from './config/config-store.ts';
import { httpsOptions, isOwnBlock, tlsFiles } from './config/https-block.ts';
import { type MadeFiles, makeHttpsFiles, ownBlock } from './config/https-files.ts';
import { renewalReason } from './config/leaf-renewal.rules.ts';
import { type Interfaces, ownNames, urlHost } from './config/own-names.ts';
import { listenHttps, type SecureSocket } from './http/listeners.ts';
import type { Clock } from './runtime/clock.ts';
import type { Log } from './runtime/log.ts';
import { StartUpError } from './runtime/start-up-error.ts';

const defaultHttpsPort = 8718;

export interface SecureListenerDeps {
  config: ConfigStore;
  clock: Clock;
  log: Log;
  handle: RequestListener;
  /** Says `bye` to the streams that came over TLS. */
  endStreams(): void;
  isClosing(): boolean;
  /** How long what is under way may take when it is turned off, ms. */
  drainMs: number;
  /** What the system says; given by tests. */
  interfaces?: () => Interfaces;
  listen?: typeof listenHttps;
}

export interface HostedSecureListener extends SecureListener {
  /** Null while it is off. */
  readonly socket: SecureSocket | null;
  /** PEM of the authority, for browsers. */
  readonly authority: string | null;
  /** Listens when the configuration has the block. @throws StartUpError, which an optional one keeps as its fault. */
  open(isOptional?: boolean): Promise<void>;
  /** Resolves when no step is under way. */
  settle(): Promise<void>;
}

interface Shown {
  socket: SecureSocket;
  leaf: X509Certificate;
  /** PEM. */
  key: string;
  /** PEM; null with certificates that the broker did not make, which it then never touches. */
  authority: string | null;
  /** Names it was last issued for here, so that one which no certificate can hold is not tried again and again. */
  triedFor: string;
}

const covers = (leaf: X509Certificate, name: string): boolean =>
  (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined;

export function createSecureListener(deps: SecureListenerDeps): HostedSecureListener {
  const { config, clock, log, handle, endStreams, isClosing, drainMs } = deps;
  const { interfaces = networkInterfaces, listen = listenHttps } = deps;
  let shown: Shown | null = null;
  let fault: string | null = null;
  const inTurn = createSerialQueue();

  const names = () => ownNames(config.current?.listen?.hosts ?? [], interfaces());

  function make(all: readonly string[], key?: string): Promise<MadeFiles> {
    const teamName = config.current?.team.name ?? 'team';
    return makeHttpsFiles(config.path, { teamName, names: all, now: clock(), key });
  }

  function accessOf({ socket, leaf, authority }: Shown): SecureAccess {
    const { url, fingerprint, port } = socket;
    const others = names().network.map((name) => `https://${urlHost(name)}:${port}`);
    return {
      url,
      urls: config.current?.listen?.httpsHost === undefined ? [...new Set([url, ...others])] : [url],
      fingerprint,
      authorityFingerprint: authority === null ? null : new X509Certificate(authority).fingerprint256,
      expiresAt: leaf.validToDate.getTime(),
    };
  }

  async function close({ socket }: Shown): Promise<void> {
    const closed = socket.close();
    endStreams();
    const overdue = setTimeout(() => socket.destroy(), drainMs).unref();
    await closed;
    clearTimeout(overdue);
  }

  async function start(): Promise<SecureAccess> {
    if (shown !== null) return accessOf(shown);
    fault = null;
    if (isClosing()) refuse('unavailable', 'the broker is shutting down');
    const { current } = config;
    if (current === null) refuse('unavailable', 'The broker is not set up yet.');
    if (current.https !== undefined && !isOwnBlock(config)) {
      await open();
      return shown === null ? refuse('internal', 'HTTPS did not open') : accessOf(shown);
    }
    const { addresses, all } = names();
    const host = current.listen?.httpsHost;
    if (host === undefined && addresses.length === 0)
      refuse('unavailable', 'This machine is on no network now: connect it to one, then turn LAN access on.');
    const port = current.https?.port ?? current.listen?.httpsPort ?? defaultHttpsPort;
    const made = await make(all);
    const socket = await listen(handle, { host, port, ...made });
    try {
      await config.update((before) => ({ ...before, https: ownBlock(config.path, before.https, port) }));
    } catch (error) {
      socket.destroy();
      await socket.close();
      throw error;
    }
    shown = {
      socket,
      leaf: new X509Certificate(made.certificate),
      key: made.key,
      authority: made.authority,
      triedFor: all.join(),
    };
    log.info({ url: socket.url, fingerprint: socket.fingerprint }, 'LAN access was turned on');
    return accessOf(shown);
  }

  async function stop(): Promise<void> {
    if (shown === null) return;
    if (!isOwnBlock(config))
      refuse(
        'conflict',
        `The https block of ${config.path} names certificates that were not made here: take it out there and restart, so that nothing of yours is lost.`,
      );
    await config.update(({ https, ...before }) => ({
      ...before,
      // Who joined keeps the address, port included, for when it is on again.
      ...(https !== undefined &&
        https.port !== defaultHttpsPort && { listen: { ...before.listen, httpsPort: https.port } }),
    }));
    const closing = shown;
    shown = null;
    await close(closing);
    log.info('LAN access was turned off');
  }

  async function open(): Promise<void> {
    const files = await httpsOptions(config);
    if (files === null || shown !== null) return;
    const socket = await listen(handle, files);
    const authority = isOwnBlock(config) ? await authorityAt(tlsFiles(config.path).authority) : null;
    shown = { socket, leaf: new X509Certificate(files.certificate), key: files.key, authority, triedFor: '' };
  }

  async function renew(): Promise<boolean> {
    if (shown === null || !isOwnBlock(config)) return false;
    const { all } = names();
    const { leaf, key, triedFor } = shown;
    const uncovered = all.join() === triedFor ? [] : all.filter((name) => !covers(leaf, name));
    const reason = renewalReason({ uncovered, expiresAt: leaf.validToDate.getTime() }, clock());
    if (reason === null) return false;
    // Under the key in use, whatever became of its file: another one would cut everybody off.
    const made = await make(all, key);
    shown.socket.use(made.certificate, key);
    shown = {
      ...shown,
      leaf: new X509Certificate(made.certificate),
      authority: made.authority,
      triedFor: all.join(),
    };
    log.info({ reason, names: all }, 'the certificate was renewed under the same key');
    return true;
  }

  return {
    get socket() {
      return shown?.socket ?? null;
    },
    get authority() {
      return shown?.authority ?? null;
    },
    get access() {
      return shown === null ? null : accessOf(shown);
    },
    get fault() {
      return fault;
    },
    open: (isOptional = false) =>
      inTurn(open).catch((error: unknown) => {
        if (!isOptional || !(error instanceof StartUpError)) throw error;
        log.error({ err: error }, 'LAN access stays off');
        fault = offSentence(error);
      }),
    start: () => inTurn(start).catch(refuseClearly),
    stop: () => inTurn(stop),
    renew: () => inTurn(renew),
    settle: () => inTurn(() => undefined),
  };
}

/** Null when it cannot be had: the listener needs it not, and the next certificate says what is wrong with it. */
async function authorityAt(path: string): Promise<string | null> {
  try {
    const text = await readFile(path, 'utf8');
    new X509Certificate(text);
    return text;
  } catch {
    return null;
  }
}

const sentenceByCode: Record<string, string> = {
  EADDRINUSE:
    'another program has the port: stop it, or set listen.httpsPort in the configuration to another and start Muster again',
  EACCES: 'the port needs more rights: set listen.httpsPort in the configuration to one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address: correct listen.httpsHost in the configuration',
  ENOTFOUND: 'the host name is not known: correct listen.httpsHost in the configuration',
};

/** What stops a start says what to do on a command line; here a person looks at a page. */
function refuseClearly(error: unknown): never {
  if (error instanceof BrokerError || !(error instanceof StartUpError)) throw error;
  return refuse('unavailable', offSentence(error));
}

function offSentence({ cause, message }: StartUpError): string {
  const sentence = sentenceByCode[codeOf(cause) ?? ''] ?? message;
  return `LAN access stays off: ${sentence}${sentence.endsWith('.') ? '' : '.'}`;
}
