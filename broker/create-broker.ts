/** THE composition: configuration → stores → services → routes → application. Read this first. */
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { OperationId } from '#protocol/operations.ts';
import packageJson from '../package.json' with { type: 'json' };
import { openConfig } from './config/config-store.ts';
import { httpsOptions } from './config/https-block.ts';
import { openKek } from './config/kek-file.ts';
import type { ActivityUnits } from './features/activity/activity.sqlite.ts';
import { createActivityOutbox } from './features/activity/activity-outbox.service.ts';
import type { OutboxUnits } from './features/activity/outbox.sqlite.ts';
import { briefingRoutes } from './features/briefing/briefing.routes.ts';
import { createBriefing } from './features/briefing/briefing.service.ts';
import { createIdempotency } from './features/idempotency/idempotency.service.ts';
import type { IdempotencyUnits } from './features/idempotency/idempotency.sqlite.ts';
import { createMembers } from './features/members/members.service.ts';
import { createMessageFrames } from './features/messages/message-frames.ts';
import { messageRoutes } from './features/messages/messages.routes.ts';
import { createMessages } from './features/messages/messages.service.ts';
import type { MessageUnits } from './features/messages/messages.sqlite.ts';
import { presenceRoutes } from './features/presence/presence.routes.ts';
import { createPresence } from './features/presence/presence.service.ts';
import type { PresenceUnits } from './features/presence/presence.sqlite.ts';
import { setupRoutes } from './features/setup/setup.routes.ts';
import { createSetup } from './features/setup/setup.service.ts';
import { createTokens } from './features/tokens/tokens.service.ts';
import type { TokenUnits } from './features/tokens/tokens.sqlite.ts';
import { createApp } from './http/app.ts';
import { type Listener, listenHttp, listenHttps } from './http/listeners.ts';
import { createLiveStreams } from './http/live-streams.ts';
import { openApiDocument } from './http/openapi.ts';
import { createOwnHosts } from './http/request-guard.ts';
import type { Handlers } from './http/route.ts';
import type { Actor } from './runtime/actor.ts';
import { type Clock, systemClock } from './runtime/clock.ts';
import type { Log } from './runtime/log.ts';
import { createMessageStamps } from './runtime/message-stamps.ts';
import type { IdentityUnits } from './storage/sqlite/identity.sqlite.ts';
import { openStore, type Store } from './storage/store-host.ts';

export interface BrokerOptions {
  configPath: string;
  /** Where a first set-up says files are kept; a path relative to the configuration's folder, or absolute. */
  filesRoot?: string;
  /** Paths, or `:memory:` (the default, as specified): then everything but the configuration is gone with the process. */
  dbPath?: string;
  activityDbPath?: string;
  /** Read for SVC_KEK only. */
  env?: Readonly<Record<string, string | undefined>>;
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

type MainUnits = IdentityUnits & OutboxUnits & MessageUnits & IdempotencyUnits & TokenUnits & PresenceUnits;

const inMemory = ':memory:';
const defaultHost = '127.0.0.1';
const defaultPort = 8717;
const threadModule = new URL('./store-thread.ts', import.meta.url);
const housekeepingMs = 10_000;
const drainMs = 5_000;

/** Both or neither: a store that opened is closed again when the other one could not be. */
async function openTogether<A, B>(a: Promise<Store<A>>, b: Promise<Store<B>>): Promise<[Store<A>, Store<B>]> {
  try {
    return await Promise.all([a, b]);
  } catch (error) {
    for (const opening of [a, b]) await opening.then((store) => store.close()).catch(() => undefined);
    throw error;
  }
}

/** @throws StartUpError with one sentence that says what to do; files are left as they were. */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { configPath, log, clock = systemClock, dbPath = inMemory, activityDbPath = inMemory } = options;
  const kek = await openKek({ configPath, env: options.env ?? process.env });
  const config = await openConfig({ path: configPath, kek });

  const [mainStore, activityStore] = await openTogether(
    openStore<MainUnits>({ store: 'main', file: dbPath, threadModule, log }),
    openStore<ActivityUnits>({ store: 'activity', file: activityDbPath, threadModule, log }),
  );
  const main = mainStore.units;
  const storeId = await main.storeIdentity();
  const { seq, ts } = await main.lastAccepted();

  const streams = createLiveStreams({
    position: seq,
    onError: (err) => log.error({ err }, 'a stream could not be resumed'),
  });
  const members = createMembers({ config });
  const tokens = createTokens({
    units: main,
    clock,
    configured: () => ({
      primaries: members
        .all()
        .flatMap(({ name, tokenHash }) =>
          tokenHash === undefined ? [] : [{ member: name, hash: tokenHash }],
        ),
      members: new Set(members.all().map(({ name }) => name)),
    }),
    onRevoked: (credentialId) => streams.end({ credentialId }),
  });
  const presence = createPresence({ units: main, clock, members, connections: streams.connections });
  const briefing = createBriefing({ members });
  const idempotency = createIdempotency({ units: main, clock });
  const messages = createMessages({
    units: main,
    members,
    streams,
    idempotency,
    nextStamp: createMessageStamps(clock, ts),
    frames: createMessageFrames(storeId),
  });
  const outbox = createActivityOutbox({ main, activity: activityStore.units, storeId, clock });
  const setupKey = randomBytes(32).toString('base64url');
  const setup = createSetup({
    config,
    key: setupKey,
    filesRoot: options.filesRoot ?? 'files',
    onConfigured: tokens.load,
  });

  await tokens.load();
  await presence.load();
  await outbox.drain();

  function actorOfBearer(token: string): Actor | null {
    const credential = tokens.identify(token);
    const member = credential === null ? undefined : members.find(credential.member);
    if (credential === null || member === undefined) return null;
    const { id: credentialId, expiresAt } = credential;
    return { name: member.name, permissions: member.permissions, plane: 'bearer', credentialId, expiresAt };
  }

  const routes: Handlers[] = [
    { health: () => ({ status: 'ok', version: packageJson.version }) },
    setupRoutes(setup),
    briefingRoutes(briefing),
    presenceRoutes(presence),
    messageRoutes(messages),
  ];
  const routed = [...routes.flatMap((handlers) => Object.keys(handlers)), 'openapi'] as OperationId[];
  const document = openApiDocument(routed, packageJson.version);
  let closing = false;
  const app = createApp(
    {
      log,
      isOwnHost: createOwnHosts(() => config.current?.listen?.hosts ?? []),
      trustedProxies: config.current?.listen?.trustedProxies ?? [],
      context: {
        credentials: { bearer: actorOfBearer, jwt: async () => null, session: () => null },
        isSetUp: () => config.current !== null,
        isClosing: () => closing,
        onSeen: (actor) => presence.seen(actor.name),
      },
    },
    [...routes, { openapi: () => document }],
  );
  await app.ready();

  const listeners: Listener[] = [];
  const flush = () => Promise.all([presence.flush(), tokens.flushLastUsed(), idempotency.forgetOld()]);
  const housekeeping = setInterval(() => {
    flush().catch((err: unknown) => log.warn({ err }, 'housekeeping is put off'));
  }, housekeepingMs).unref();

  const fleeting = [
    ...(dbPath === inMemory ? ['SVC_DB_PATH'] : []),
    ...(activityDbPath === inMemory ? ['SVC_ACTIVITY_DB_PATH'] : []),
  ];
  return {
    get setupKey() {
      return config.current === null ? setupKey : null;
    },
    notices: [
      ...(config.migrated > 0 ? [`migrated ${config.migrated} plaintext secrets`] : []),
      ...config.problems.map(({ message }) => message),
      ...(fleeting.length === 0
        ? []
        : [
            `${dbPath === inMemory ? 'everything but the configuration' : 'activity'} is kept in memory only and is lost when this process ends; set ${fleeting.join(' and ')} to keep it`,
          ]),
    ],
    async listen(at = {}) {
      const listen = config.current?.listen;
      const handle: RequestListener = (request, response) => app.routing(request, response);
      const plain = await listenHttp(handle, {
        host: at.host ?? listen?.host ?? defaultHost,
        port: at.port ?? listen?.port ?? defaultPort,
        insecureHttp: at.insecureHttp ?? false,
      });
      try {
        const https = await httpsOptions(config);
        listeners.push(plain, ...(https === null ? [] : [await listenHttps(handle, https)]));
      } catch (error) {
        await plain.close();
        throw error;
      }
      return listeners.map(({ url, fingerprint }) => ({ url, fingerprint }));
    },
    inject: app.inject.bind(app) as FastifyInstance['inject'],
    async close() {
      if (closing) return;
      closing = true;
      clearInterval(housekeeping);
      streams.close();
      const overdue = setTimeout(() => {
        for (const listener of listeners) listener.destroy();
      }, drainMs).unref();
      await Promise.all(listeners.map((listener) => listener.close()));
      clearTimeout(overdue);
      await flush().catch((err: unknown) => log.warn({ err }, 'last-used times were not written'));
      await app.close();
      await Promise.all([mainStore.close(), activityStore.close()]);
    },
  };
}
