/** What a broker is to whoever hosts it: the command, the desktop app, a test. */
import type { FastifyInstance } from 'fastify';
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
  log: Log;
  clock?: Clock;
}

export interface ListenAt {
  host?: string | undefined;
  port?: number | undefined;
  insecureHttp?: boolean | undefined;
}

export interface Broker {
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
