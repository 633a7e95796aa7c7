/** What a broker is to whoever hosts it: the command, the desktop app, a test. */
import type { FastifyInstance } from 'fastify';
import type { Keychain } from './config/keychain.ts';
import type { Listener } from './http/listeners.ts';
import type { Clock } from './runtime/clock.ts';
import type { Log } from './runtime/log.ts';

export interface BrokerOptions {
  configPath: string;
  /** Where a first set-up says files are kept; a path relative to the configuration's folder, or absolute. */
  filesRoot?: string;
  /** Paths, or `:memory:` (the default, as specified): then everything but the configuration is gone with the process. */
  dbPath?: string;
  activityDbPath?: string;
  /** The telemetry state file; without it, or without SVC_TELEMETRY_URL, nothing is ever sent (D16). */
  telemetryPath?: string;
  /** Read for SVC_KEK and SVC_TELEMETRY_URL. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The built console; without it the broker answers its API only. */
  consoleFolder?: string;
  /**
   * The system's keychain, of the desktop app: the key-encryption key is then kept wrapped in it (D15). Null: the app has none; absent:
   * nobody's business, as headless.
   */
  keychain?: Keychain | null;
  log: Log;
  clock?: Clock;
}

export interface ListenAt {
  host?: string | undefined;
  port?: number | undefined;
  insecureHttp?: boolean | undefined;
  /** True: HTTPS that cannot open is no reason not to start; `secureListener.fault` says why it is off. For the desktop, whose page mends it. */
  isSecureOptional?: boolean | undefined;
}

/** How others on the network reach this broker. */
export interface SecureAccess {
  /** To hand to others. */
  url: string;
  /** For each name and address of this machine, that one first. */
  urls: string[];
  /** Of the key, as it is pinned (D15). */
  fingerprint: string;
  /** SHA-256 of the authority's certificate as systems show it; null with certificates that the broker did not make. */
  authorityFingerprint: string | null;
  /** Of the certificate, epoch ms. */
  expiresAt: number;
}

/** HTTPS while the broker runs (design "LAN access"). Each may be called at any time. */
export interface SecureListener {
  /** Null while it is off. */
  readonly access: SecureAccess | null;
  /** One sentence: why it is off although the configuration has the block. */
  readonly fault: string | null;
  /**
   * Makes what is missing of authority and certificate, listens, writes the https block. @throws BrokerError with one sentence; then nothing
   * was written and nothing listens.
   */
  start(): Promise<SecureAccess>;
  /** Takes the block away, ends streams with `bye`, stops listening. Keys stay. @throws BrokerError when the configuration cannot be written. */
  stop(): Promise<void>;
  /** Issues the certificate anew when names of the machine are not in it or its end is near; says whether it did. Nobody is cut. */
  renew(): Promise<boolean>;
}

/** Where the key-encryption key is, and the way to keep it apart. */
export interface KeyKeeping {
  readonly place: 'environment' | 'file' | 'keychain';
  /** The file it is in, wrapped or plain; null when it came from SVC_KEK. */
  readonly path: string | null;
  /** 32 bytes in base64, as SVC_KEK takes them. Never log it. */
  reveal(): string;
}

export interface Broker {
  readonly secureListener: SecureListener;
  readonly keyKeeping: KeyKeeping;
  /** The one-time key of an unconfigured broker; null once it is set up. */
  readonly setupKey: string | null;
  /** Sentences for the person who starts it: migrated secrets, secrets that cannot be read, stores that do not last. */
  readonly notices: readonly string[];
  /** Starts the listeners: plain HTTP, then HTTPS when the configuration has the block. @throws StartUpError when one cannot listen. */
  listen(at?: ListenAt): Promise<Pick<Listener, 'url' | 'fingerprint'>[]>;
  /** A request without a socket, for the desktop app. */
  inject: FastifyInstance['inject'];
  /** Stops accepting, says `bye` to streams, answers what is under way, closes the stores. */
  close(): Promise<void>;
}
