/** The interface of a broker to its host: the command, the desktop app, or a test. */
import type { FastifyInstance } from 'fastify';
import type { Keychain } from './config/keychain.ts';
import type { Clock } from './runtime/clock.ts';
import type { Log } from './runtime/log.ts';
import type { Term } from './standby/term.ts';
import type { Listener } from './wire/listeners.ts';

export interface BrokerOptions {
  configPath: string;
  /**
   * The folder of files that the first setup writes into the configuration, absolute or relative to the
   * configuration's folder.
   */
  filesRoot?: string;
  /**
   * A path, or `:memory:` (the default), which loses everything except the configuration when the process
   * ends.
   */
  dbPath?: string;
  activityDbPath?: string;
  /** Starts with an empty main store also beside the files or the activity of a team that lost its store. */
  beginAnew?: boolean;
  /**
   * The telemetry state file. Without it, or without SVC_TELEMETRY_URL, nothing is ever sent
   * (specification/diagnostics.md#telemetry).
   */
  telemetryPath?: string;
  /** The broker reads SVC_KEK, SVC_METRICS_TOKEN, SVC_TELEMETRY_URL, and variables of OpenTelemetry from it. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Called when `POST /setup` has set up the team. */
  onSetUp?: () => void;
  /** The built console; without it, the broker answers its API only. */
  consoleFolder?: string;
  /** The built documentation; without it, there is none at `/docs`. */
  docsFolder?: string;
  /**
   * The system's keychain, from the desktop app, in which the key-encryption key is then wrapped
   * (specification/desktop.md#key). Null: the app has none. Absent: headless.
   */
  keychain?: Keychain | null;
  /**
   * Saves the first member's token for this person's commands after a setup from this machine, and returns
   * for which address; null if it did not (specification/team.md#setup).
   */
  keepToken?: (token: string) => Promise<string | null>;
  /** Others stand by for this broker (docs/decisions/0068-one-active-broker.md). Absent: it is the only one. */
  term?: Term;
  log: Log;
  clock?: Clock;
  /** Ms that pass whatever the clock says. By default, a clock that is given never jumps. */
  steadyClock?: Clock;
}

export interface ListenAt {
  host?: string | undefined;
  port?: number | undefined;
  insecureHttp?: boolean | undefined;
  /**
   * If true, the broker starts even if HTTPS cannot open, and `secureListener.fault` says why it is off. The
   * desktop app sets it, because its own page can fix the cause.
   */
  isSecureOptional?: boolean | undefined;
  /** If true, errors name the settings of svc.json in place of the options of the command line. */
  hasNoCommandLine?: boolean | undefined;
}

/** How remote clients reach this broker. */
export interface SecureAccess {
  /** The URL to give to others. */
  url: string;
  /** For each name and address of this machine, `url` first. */
  urls: string[];
  /** The fingerprint of the key, as clients pin it (specification/configuration.md#certificates). */
  fingerprint: string;
  /**
   * SHA-256 of the authority's certificate as systems show it; null for certificates that the broker did not
   * create.
   */
  authorityFingerprint: string | null;
  /** When the certificate expires, epoch ms. */
  expiresAt: number;
}

/**
 * HTTPS while the broker runs (specification/desktop.md#lan-access). Every function may be called at any
 * time.
 */
export interface SecureListener {
  /** Null while it is off. */
  readonly access: SecureAccess | null;
  /** One sentence that says why it is off although the configuration has the block; null otherwise. */
  readonly fault: string | null;
  /**
   * Creates what is missing of the authority and the certificate, listens, and writes the https block.
   * @throws BrokerError with one sentence; then nothing was written and nothing listens.
   */
  start(): Promise<SecureAccess>;
  /**
   * Removes the block, ends streams with `bye`, and stops listening. The keys stay. @throws BrokerError if
   * the configuration cannot be written.
   */
  stop(): Promise<void>;
  /**
   * Issues the certificate again if it lacks a name of the machine or is near its end. Returns whether it
   * did. Nobody is disconnected.
   */
  renew(): Promise<boolean>;
}

/** The place of the key-encryption key, and the way to export it. */
export interface KeyKeeping {
  readonly place: 'environment' | 'file' | 'keychain';
  /** The file that holds it, wrapped or plain; null if it came from SVC_KEK. */
  readonly path: string | null;
  /** Returns the 32 bytes in base64, as SVC_KEK accepts them. Never log it. */
  reveal(): string;
}

export interface Broker {
  readonly secureListener: SecureListener;
  readonly keyKeeping: KeyKeeping;
  /** The one-time key of an unconfigured broker; null once it is set up. */
  readonly setupKey: string | null;
  /**
   * Sentences for the person who starts the broker: migrated secrets, secrets that cannot be read, and stores
   * that do not last.
   */
  readonly notices: readonly string[];
  /**
   * Starts the listeners: plain HTTP, then HTTPS if the configuration has the block. @throws StartUpError if
   * one cannot listen.
   */
  listen(at?: ListenAt): Promise<Pick<Listener, 'url' | 'fingerprint'>[]>;
  /** Sends a request without a socket, for the desktop app. */
  inject: FastifyInstance['inject'];
  /**
   * Stops accepting connections, sends `bye` to streams, answers requests in progress, and closes the stores.
   */
  close(): Promise<void>;
}
