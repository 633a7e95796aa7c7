/**
 * Runs a broker in this process until it is told to stop: the common part of `muster serve` and `npm start`
 * (specification/command-line.md#serve).
 */
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { keepToken } from '#client/keep-token.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { joinWay } from '#protocol/join.ts';
import { type Broker, createBroker, type ListenAt, type Term, termOf } from '../broker/create-broker.ts';
import type { Clock } from '../broker/runtime/clock.ts';
import { createLog, type Log } from '../broker/runtime/log.ts';
import { StartUpError } from '../broker/runtime/start-up-error.ts';
import packageJson from '../package.json' with { type: 'json' };
import { shareCompileCacheWithThreads } from './compile-cache.js';
import { consoleFolder, docsFolder } from './console-folder.ts';
import { endSmallStart } from './lean-start.js';
import { complain, print, remark } from './output.ts';
import { ownPaths } from './own-paths.ts';
import { quoted } from './shell-line.ts';
import { UsageError } from './usage-error.ts';

export const listenOptions = {
  host: {
    type: 'string',
    value: '<address>',
    help: 'address to listen on (default: SVC_HOST, the configuration, or 127.0.0.1)',
  },
  port: {
    type: 'string',
    value: '<port>',
    help: 'port to listen on, or 0 for any free port (default: SVC_PORT, the configuration, or 8717)',
  },
  'insecure-http': { type: 'boolean', help: 'allow plain HTTP on addresses that other machines can reach' },
  'log-level': {
    type: 'string',
    value: '<level>',
    help: 'level of the log on standard error: trace, debug, info, warn, error, fatal, or silent',
  },
  json: { type: 'boolean', help: 'print one JSON object per line' },
} as const;

export const beginAnew = {
  'begin-anew': {
    type: 'boolean',
    help: 'start with an empty main store although files or activity of the team are there',
  },
} as const;

export interface ListenValues {
  'begin-anew'?: boolean;
  host?: string;
  port?: string;
  'insecure-http'?: boolean;
  'log-level'?: string;
  json?: boolean;
}

export interface RunOptions {
  values: ListenValues;
  env: Record<string, string | undefined>;
  configPath: string;
  /** The folder for files that the first setup configures; `files` beside the configuration by default. */
  filesRoot?: string;
  dbPath: string;
  activityDbPath: string;
  defaultLogLevel: string;
  /** The command for the setup, as an alternative to the page. */
  setupHint: string;
  /** Printed when the team is set up, with the address of the console. */
  loginHint?: (url: string) => string;
  telemetryPath?: string;
  /** If no port is given: how many to try from `firstPort` (8717) on until one is free. 1 by default. */
  portsTried?: number;
  firstPort?: number;
  /** The system's by default. */
  clock?: Clock;
  /** Called once it accepts requests. */
  onListening?: (url: string) => Promise<void>;
  /** Called when a signal has come, while it still answers. */
  onStopping?: () => Promise<void>;
}

const defaultPort = 8717;
/** After a signal. */
const lateStartMs = 5000;
/** A supervisor starts it again, and it stands by. */
const deposedExit = 75;
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Resolves with 0 when a signal has ended it. @throws StartUpError, UsageError. */
export async function runBroker(options: RunOptions): Promise<number> {
  const { values, env, configPath, dbPath, activityDbPath } = options;
  const at = listenAddress(values, env);
  const level = values['log-level'] ?? options.defaultLogLevel;
  if (!logLevels.includes(level)) throw new UsageError(`--log-level must be one of ${logLevels.join(', ')}`);
  const say = (kind: string, sentence: string, value: string) =>
    print(values.json ? JSON.stringify({ [kind]: value }) : `${sentence} ${value}`);

  shareCompileCacheWithThreads();
  // Registered before anything is printed, because the reader may send a signal at once.
  const stopped = stopSignal();
  const log = createLog({ level });
  let firstUrl = '';
  const sayLogin = () => {
    if (options.loginHint !== undefined) remark(options.loginHint(firstUrl));
  };
  const files = options.filesRoot === undefined ? {} : { filesRoot: options.filesRoot };
  const term = await termFor(options, { at, stopped, log, say });
  if (term === null) return 0;
  await using parts = new AsyncDisposableStack();
  parts.defer(() => term?.end());
  const startup = new AbortController();
  if (term !== undefined) void endLateStart(stopped, startup.signal);
  const broker = await createBroker({
    configPath,
    ...files,
    dbPath,
    activityDbPath,
    beginAnew: values['begin-anew'] ?? false,
    telemetryPath: options.telemetryPath ?? ownPaths(env).telemetryPath,
    consoleFolder,
    docsFolder,
    onSetUp: sayLogin,
    env,
    log,
    keepToken: (token) => keepToken({ path: ownPaths(env).authPath, url: firstUrl, token, say: remark }),
    ...(options.clock && { clock: options.clock }),
    ...(term && { term }),
  });
  parts.defer(() => broker.close());
  const listening = await listenOnFreePort(broker, at, options);
  startup.abort();
  endSmallStart();
  for (const notice of broker.notices) remark(values.json ? JSON.stringify({ notice }) : notice);
  for (const { url } of listening) say('listening', 'listening on', url);
  const way = joinWay(listening);
  if (way.kind === 'open') remark(`to join: ${way.command}\n(${way.note})`);
  firstUrl = listening[0]?.url ?? '';
  if (broker.setupKey !== null) {
    say('setup', 'set up at', `${firstUrl}/setup#key=${broker.setupKey}`);
    remark(options.setupHint);
  } else sayLogin();
  await options.onListening?.(firstUrl);
  await stopped;
  await options.onStopping?.();
  return 0;
}

/** The start of an active broker waits for the database, however long that is away. */
async function endLateStart(stopped: Promise<void>, started: AbortSignal): Promise<void> {
  await stopped;
  await pause(lateStartMs, undefined, { signal: started }).catch(() => undefined);
  if (started.aborted) return;
  complain('stopped before the database had everything that the start needs');
  process.exit(0);
}

interface Starting {
  at: ListenAt;
  stopped: Promise<void>;
  log: Log;
  say: (kind: string, sentence: string, value: string) => void;
}

/** Undefined: this broker is the only one. Null: a signal came before its term. */
function termFor(
  { env, configPath, dbPath, activityDbPath }: RunOptions,
  { at, stopped, log, say }: Starting,
): Promise<Term | null | undefined> {
  const control = new AbortController();
  void stopped.then(() => control.abort());
  return termOf({
    env,
    configPath,
    dbPath,
    activityDbPath,
    version: packageJson.version,
    at,
    log,
    onListening: (url) => say('standby', 'standing by at', url),
    onLost(reason) {
      complain(`${reason}; this one ends`);
      process.exit(deposedExit);
    },
    signal: control.signal,
  });
}

async function listenOnFreePort(
  broker: Broker,
  at: ListenAt,
  { portsTried = 1, firstPort = defaultPort }: Pick<RunOptions, 'portsTried' | 'firstPort'>,
): ReturnType<Broker['listen']> {
  if (at.port !== undefined || portsTried === 1) return broker.listen(at);
  for (let port = firstPort; ; port++) {
    try {
      return await broker.listen({ ...at, port });
    } catch (error) {
      if (!(error instanceof StartUpError) || port === firstPort + portsTried - 1) throw error;
    }
  }
}

function listenAddress(values: ListenValues, env: RunOptions['env']) {
  const host = values.host || env.SVC_HOST;
  const port = values.port || env.SVC_PORT;
  if (port && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new UsageError(`the port must be a number from 0 to 65535, not "${port}"`);
  return {
    ...(host && { host }),
    ...(port && { port: Number(port) }),
    insecureHttp: values['insecure-http'] ?? false,
  };
}

/**
 * The other way to set up. The running broker does not notice a new file, so it must be started again
 * afterwards.
 */
export function setupHint(configPath: string | undefined): string {
  const option = configPath === undefined ? '' : ` --config-path ${quoted(configPath)}`;
  return `or run: ${svcCommand} setup${option} (and start the broker again)`;
}

const signalNumber = { SIGINT: 2, SIGTERM: 15 };
const echoMs = 250;

/**
 * Resolves at the first SIGINT or SIGTERM; another one ends the process immediately. A terminal signals every
 * process of its group and a wrapper passes the signal on, so the same one within 250 ms is an echo.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: { signal: string; at: number } | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (first === undefined) {
          first = { signal, at: performance.now() };
          resolve();
        } else if (first.signal !== signal || performance.now() - first.at > echoMs) {
          complain('stopped immediately, without waiting for requests in progress');
          process.exit(128 + signalNumber[signal]);
        }
      });
    }
  });
}
