/**
 * A real broker on a loopback port, with a small team, for tests. stop() removes everything that it creates.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPresets } from '#protocol/access.ts';
import { type BrokerClient, createClient } from '#protocol/client.ts';
import type { Diagnostics } from '#protocol/diagnostics.ts';
import { type Broker, createBroker } from '../create-broker.ts';
import type { Clock } from '../runtime/clock.ts';
import { createLog, type Log } from '../runtime/log.ts';
import { mintToken } from '../security/token.ts';
import { freePort } from './free-port.ts';
import { refuseLeaks } from './leaks.ts';
import { openTestStream, type TestStream } from './test-stream.ts';

/** The members as whom a test may act, and the presets or leaves of each. */
const personas = { ada: ['admin'], ben: [], cy: ['operator'] } as const;

export interface TestBroker {
  broker: Broker;
  url: string;
  folder: string;
  configPath: string;
  /** The JSON lines that were written so far. */
  logged: () => string;
  token: (name: string) => string;
  as: (name: string) => BrokerClient;
  /** A raw request with the member's token; `null` for none. */
  fetch: (name: string | null, path: string, init?: RequestInit) => Promise<Response>;
  /** A live stream that has sent ready. */
  stream: (name: string, cursor?: string) => Promise<TestStream>;
  /**
   * How many streams the broker has open, as it reports to ada: one that it has ended is not counted,
   * whenever its reader learns of it.
   */
  openStreams: () => Promise<Diagnostics['streams']>;
  /** Closes the broker and starts it again on the same files and port, after `meanwhile` if it is given. */
  restart: (meanwhile?: () => Promise<void>) => Promise<void>;
  stop: () => Promise<void>;
}

export interface TestBrokerOptions {
  /** Stores on disk instead of in memory. */
  onDisk?: boolean;
  /** Starts beside the files of another store. */
  beginAnew?: boolean;
  members?: Record<string, readonly string[]>;
  clock?: Clock;
  /** By default, the clock never jumps. */
  steadyClock?: Clock;
  /** The built console. */
  consoleFolder?: string;
  docsFolder?: string;
  /** The broker's environment; empty by default. */
  env?: Record<string, string>;
  /** Further blocks of the configuration. */
  config?: Record<string, unknown>;
}

function memoryLog(): { log: Log; logged: () => string } {
  const lines: string[] = [];
  return {
    log: createLog({ destination: { write: (line: string) => void lines.push(line) } }),
    logged: () => lines.join(''),
  };
}

export async function startTestBroker(options: TestBrokerOptions = {}): Promise<TestBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-'));
  const configPath = join(folder, 'svc.json');
  const members = Object.entries(options.members ?? personas);
  const tokenByName = new Map(members.map(([name]) => [name, mintToken()]));
  const config = {
    ...options.config,
    team: { name: 'Test', directive: 'Prove it', brief: '', permissionPresets: defaultPresets },
    store: {
      members: members.map(([name, rawPermissions]) => ({
        name,
        role: { title: name, description: '' },
        instructions: `private to ${name}`,
        rawPermissions,
        token: tokenByName.get(name),
      })),
    },
  };
  await writeFile(configPath, JSON.stringify(config), { mode: 0o600 });
  const { log, logged } = memoryLog();
  const stores = options.onDisk
    ? { dbPath: join(folder, 'main.db'), activityDbPath: join(folder, 'activity.db') }
    : {};
  const start = () =>
    createBroker({
      configPath,
      ...stores,
      beginAnew: options.beginAnew ?? false,
      env: options.env ?? {},
      log,
      ...(options.clock !== undefined && { clock: options.clock }),
      ...(options.steadyClock !== undefined && { steadyClock: options.steadyClock }),
      ...(options.consoleFolder !== undefined && { consoleFolder: options.consoleFolder }),
      ...(options.docsFolder !== undefined && { docsFolder: options.docsFolder }),
    });
  let broker = await start();
  // It listens there again after a restart, because the system assigns this port to nobody in the meantime.
  const url = (await broker.listen({ port: await freePort() }))[0]?.url ?? '';
  const streams = new Set<TestStream>();

  const token = (name: string): string => tokenByName.get(name) ?? '';
  const send = (name: string | null, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url + path, {
      ...init,
      headers: {
        ...(name !== null && { authorization: `Bearer ${token(name)}` }),
        ...(init.headers as Record<string, string>),
      },
    });
  const as = (name: string): BrokerClient => createClient(({ url: path, ...init }) => send(name, path, init));
  return {
    get broker() {
      return broker;
    },
    url,
    folder,
    configPath,
    logged,
    token,
    fetch: send,
    as,
    openStreams: async () => (await as('ada').call('diagnostics', {})).streams,
    async stream(name, cursor) {
      const stream = await openTestStream(`${url}/subscribe?name=${name}`, token(name), cursor);
      streams.add(stream);
      return stream;
    },
    async restart(meanwhile) {
      await broker.close();
      await meanwhile?.();
      broker = await start();
      await broker.listen({ port: Number(new URL(url).port) });
    },
    async stop() {
      for (const stream of streams) stream.close();
      await broker.close();
      await refuseLeaks(folder, logged(), tokenByName.values());
      await rm(folder, { recursive: true });
    },
  };
}
