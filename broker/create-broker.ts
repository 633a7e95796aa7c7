/** THE composition: configuration → stores → services → routes → application. Read this first. */
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { limits } from '#protocol/limits.ts';
import type { OperationId } from '#protocol/operations.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Broker, BrokerOptions } from './broker.ts';
import { type ConfigStore, openConfig } from './config/config-store.ts';
import { httpsOptions } from './config/https-block.ts';
import { openKek } from './config/kek-file.ts';
import { openPlatformOverlay, type PlatformOverlay } from './config/platform-overlay.ts';
import type { ActivityUnits } from './features/activity/activity.sqlite.ts';
import { createActivityOutbox } from './features/activity/activity-outbox.service.ts';
import type { OutboxUnits } from './features/activity/outbox.sqlite.ts';
import { briefingRoutes } from './features/briefing/briefing.routes.ts';
import { createBriefing } from './features/briefing/briefing.service.ts';
import { enrollmentRoutes } from './features/enrollment/enrollment.routes.ts';
import { createEnrollment } from './features/enrollment/enrollment.service.ts';
import type { EnrollmentUnits } from './features/enrollment/enrollment.sqlite.ts';
import { fileRoutes } from './features/files/files.routes.ts';
import { createFiles } from './features/files/files.service.ts';
import type { FileUnits } from './features/files/files.sqlite.ts';
import { createIdempotency } from './features/idempotency/idempotency.service.ts';
import type { IdempotencyUnits } from './features/idempotency/idempotency.sqlite.ts';
import { memberRoutes } from './features/members/members.routes.ts';
import { createMembers } from './features/members/members.service.ts';
import type { MemberUnits } from './features/members/members.sqlite.ts';
import { createMembership } from './features/members/membership.service.ts';
import { createMessageFrames } from './features/messages/message-frames.ts';
import { messageRoutes } from './features/messages/messages.routes.ts';
import { createMessages } from './features/messages/messages.service.ts';
import type { MessageUnits } from './features/messages/messages.sqlite.ts';
import type { MissedUnits } from './features/messages/missed.sqlite.ts';
import { platformConnectRoutes } from './features/platform-connect/platform-connect.routes.ts';
import { createPlatformConnect } from './features/platform-connect/platform-connect.service.ts';
import type { PlatformConnectUnits } from './features/platform-connect/platform-connect.sqlite.ts';
import { presenceRoutes } from './features/presence/presence.routes.ts';
import { createPresence } from './features/presence/presence.service.ts';
import type { PresenceUnits } from './features/presence/presence.sqlite.ts';
import { createAuthenticator } from './features/sessions/authenticator.service.ts';
import { createLogin } from './features/sessions/login.service.ts';
import { sessionRoutes } from './features/sessions/sessions.routes.ts';
import { createSessions } from './features/sessions/sessions.service.ts';
import type { SessionUnits } from './features/sessions/sessions.sqlite.ts';
import { setupRoutes } from './features/setup/setup.routes.ts';
import { createSetup } from './features/setup/setup.service.ts';
import { teamRoutes } from './features/team/team.routes.ts';
import { createTeam } from './features/team/team.service.ts';
import { createTelemetry } from './features/telemetry/telemetry.service.ts';
import { createMemberTokens, primariesOf } from './features/tokens/member-tokens.service.ts';
import { tokenRoutes } from './features/tokens/tokens.routes.ts';
import { createTokens } from './features/tokens/tokens.service.ts';
import type { TokenUnits } from './features/tokens/tokens.sqlite.ts';
import { webPushRoutes } from './features/web-push/web-push.routes.ts';
import { createWebPush } from './features/web-push/web-push.service.ts';
import type { WebPushUnits } from './features/web-push/web-push.sqlite.ts';
import { createApp } from './http/app.ts';
import { type Listener, listenHttp, listenHttps } from './http/listeners.ts';
import { createLiveStreams } from './http/live-streams.ts';
import { openApiDocument } from './http/openapi.ts';
import { createRateLimit, sourceKey } from './http/rate-limit.ts';
import { createOwnHosts } from './http/request-guard.ts';
import type { Handlers } from './http/route.ts';
import type { Actor } from './runtime/actor.ts';
import { systemClock } from './runtime/clock.ts';
import { createExpiries } from './runtime/expiries.ts';
import { createMessageStamps } from './runtime/message-stamps.ts';
import { createOutbound } from './runtime/outbound-fetch.ts';
import { createJwtVerifier } from './security/jwt.ts';
import { createBlobStore } from './storage/blobs/blob-store.ts';
import type { IdentityUnits } from './storage/sqlite/identity.sqlite.ts';
import { openStore, type Store } from './storage/store-host.ts';

export type { Broker, BrokerOptions, ListenAt } from './broker.ts';

type MainUnits = IdentityUnits &
  OutboxUnits &
  MessageUnits &
  MissedUnits &
  FileUnits &
  IdempotencyUnits &
  TokenUnits &
  MemberUnits &
  SessionUnits &
  PresenceUnits &
  EnrollmentUnits &
  WebPushUnits &
  PlatformConnectUnits;

const inMemory = ':memory:';
const defaultHost = '127.0.0.1';
const defaultPort = 8717;
const threadModule = new URL('./store-thread.ts', import.meta.url);
const housekeepingMs = 10_000;
const drainMs = 5_000;

/** Said at start, so that nobody takes a store in memory for one that lasts. */
function memoryNotices(dbPath: string, activityDbPath: string): string[] {
  const fleeting = [
    ...(dbPath === inMemory ? ['SVC_DB_PATH'] : []),
    ...(activityDbPath === inMemory ? ['SVC_ACTIVITY_DB_PATH'] : []),
  ];
  if (fleeting.length === 0) return [];
  const what = dbPath === inMemory ? 'everything but the configuration' : 'activity';
  return [
    `${what} is kept in memory only and is lost when this process ends; set ${fleeting.join(' and ')} to keep it`,
  ];
}

/** Both or neither: a store that opened is closed again when the other one could not be. */
async function openTogether<A, B>(a: Promise<Store<A>>, b: Promise<Store<B>>): Promise<[Store<A>, Store<B>]> {
  try {
    return await Promise.all([a, b]);
  } catch (error) {
    for (const opening of [a, b]) await opening.then((store) => store.close()).catch(() => undefined);
    throw error;
  }
}

interface Opened {
  config: ConfigStore;
  overlay: PlatformOverlay;
  mainStore: Store<MainUnits>;
  activityStore: Store<ActivityUnits>;
}

/** @throws StartUpError with one sentence that says what to do; files are left as they were. */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { configPath, log, dbPath = inMemory, activityDbPath = inMemory } = options;
  const kek = await openKek({ configPath, env: options.env ?? process.env });
  const config = await openConfig({ path: configPath, kek });
  const overlay = await openPlatformOverlay(configPath);
  const [mainStore, activityStore] = await openTogether(
    openStore<MainUnits>({ store: 'main', file: dbPath, threadModule, log }),
    openStore<ActivityUnits>({ store: 'activity', file: activityDbPath, threadModule, log }),
  );
  try {
    return await compose(options, { config, overlay, mainStore, activityStore });
  } catch (error) {
    // Open stores would hold their locks, and the process, for good.
    await Promise.all([mainStore.close(), activityStore.close()]);
    throw error;
  }
}

async function compose(options: BrokerOptions, opened: Opened): Promise<Broker> {
  const { log, clock = systemClock, dbPath = inMemory, activityDbPath = inMemory } = options;
  const { config, overlay, mainStore, activityStore } = opened;
  const main = mainStore.units;
  const storeId = await main.storeIdentity();
  const { seq, ts } = await main.lastAccepted();

  const streams = createLiveStreams({
    position: seq,
    clock,
    onError: (err) => log.error({ err }, 'a stream could not be resumed'),
  });
  const expiries = createExpiries(clock);
  const onPutOff = (err: unknown) => log.warn({ err }, 'a write is made up for at the next start');
  // Streams that a permission opened join here, to end with it.
  const members = createMembers({ config, onPermissionsChanged: [] });
  const tokens = createTokens({
    units: main,
    clock,
    expiries,
    configured: () =>
      config.current === null
        ? null
        : {
            primaries: primariesOf(members.all()),
            members: new Set(members.all().map(({ name }) => name)),
          },
    onRevoked: (credentialId) => streams.end({ credentialId }),
    onPutOff,
  });
  const memberTokens = createMemberTokens({ config, members, tokens, units: main, onPutOff });
  const sessions = createSessions({
    units: main,
    clock,
    members,
    expiries,
    onEnded: (credentialId) => streams.end({ credentialId }),
    onPutOff,
  });
  const login = createLogin({ config, members, sessions, units: main, clock });
  const authenticator = createAuthenticator({ config, sessions, units: main });
  const team = createTeam({ members });
  const presence = createPresence({ units: main, clock, members, connections: streams.connections });
  const outbound = createOutbound({ allowHosts: () => config.current?.outbound?.allowHosts ?? [] });
  const webPush = createWebPush({ units: main, clock, config, members, outbound, log });
  const membership = createMembership({
    config,
    members,
    tokens,
    units: main,
    clock,
    onMemberRemoved: [
      tokens.forgetMember,
      (name) => sessions.forget(sessions.idsOf(name)),
      presence.forget,
      webPush.forgetMember,
      (name) => streams.end({ key: name }),
    ],
    onPutOff,
  });
  const briefing = createBriefing({ members });
  const idempotency = createIdempotency({ units: main, clock });
  const blobs = createBlobStore({
    root: () => config.resolvePath(config.current?.files?.root ?? 'files'),
    owner: { storeId, isOnDisk: dbPath !== inMemory },
    unreferenced: (hashes) => main.unreferencedBlobs(hashes),
    log,
  });
  const files = createFiles({ units: main, blobs, config, members, clock, log });
  const messages = createMessages({
    units: main,
    members,
    streams,
    idempotency,
    hasFiles: files.isEnabled,
    nextStamp: createMessageStamps(clock, ts),
    frames: createMessageFrames(storeId),
    onAccepted: webPush.onAccepted,
  });
  const enrollment = createEnrollment({
    units: main,
    clock,
    config,
    members,
    createMember: membership.createEnrolled,
    wasCreatedBy: membership.wasCreatedBy,
    tokens,
    log,
  });
  const jwt = createJwtVerifier({
    settings: () => overlay.jwt ?? config.current?.jwt ?? null,
    outbound,
    clock,
    log,
  });
  const platformConnect = createPlatformConnect({
    units: main,
    overlay,
    outbound,
    members,
    failures: createRateLimit({
      max: limits.platformLookupFailures.perAddress,
      windowMs: limits.platformLookupFailures.windowMs,
      clock,
    }),
    clock,
    log,
  });
  const enrollRequests = createRateLimit({
    max: limits.enrollment.requestsPerHour,
    windowMs: limits.enrollment.windowMs,
    clock,
  });
  const outbox = createActivityOutbox({ main, activity: activityStore.units, storeId, clock });
  const setupKey = randomBytes(32).toString('base64url');
  const setup = createSetup({
    config,
    key: setupKey,
    filesRoot: options.filesRoot ?? 'files',
    onConfigured: tokens.load,
  });

  await membership.repair();
  await enrollment.settle();
  await tokens.load();
  await sessions.load();
  await presence.load();
  await webPush.load();
  await outbox.drain();
  const fileNotices = await files.load();

  function actorOfBearer(token: string): Actor | null {
    const credential = tokens.identify(token);
    const member = credential === null ? undefined : members.find(credential.member);
    if (credential === null || member === undefined) return null;
    const { id: credentialId, expiresAt } = credential;
    return { name: member.name, permissions: member.permissions, plane: 'bearer', credentialId, expiresAt };
  }

  async function actorOfJwt(token: string): Promise<Actor | null> {
    const verified = await jwt.verify(token);
    const member = verified === null ? undefined : members.find(verified.member);
    if (verified === null || member === undefined) return null;
    const { credentialId, expiresAt } = verified;
    return { name: member.name, permissions: member.permissions, plane: 'jwt', credentialId, expiresAt };
  }

  const fileHandlers = fileRoutes(files);
  const routes: Handlers[] = [
    { health: () => ({ status: 'ok', version: packageJson.version }) },
    setupRoutes(setup),
    briefingRoutes(briefing),
    presenceRoutes(presence),
    memberRoutes(membership),
    tokenRoutes(memberTokens),
    sessionRoutes({ login, sessions, authenticator, members }),
    teamRoutes(team),
    messageRoutes(messages),
    fileHandlers,
    enrollmentRoutes(enrollment),
    webPushRoutes(webPush),
    platformConnectRoutes(platformConnect),
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
        credentials: { bearer: actorOfBearer, jwt: actorOfJwt, session: sessions.authenticate },
        isSetUp: () => config.current !== null,
        isClosing: () => closing,
        onSeen: (actor) => presence.seen(actor.name),
        admission: {
          ...Object.fromEntries(Object.keys(fileHandlers).map((id) => [id, files.refuseDisabled])),
          enroll: (ip) =>
            void enrollRequests.admit(sourceKey(ip), 'too many enrolment requests from your address'),
        },
      },
    },
    [...routes, { openapi: () => document }],
  );
  await app.ready();
  const telemetry =
    options.telemetryPath === undefined
      ? null
      : createTelemetry({
          path: options.telemetryPath,
          url: (options.env ?? process.env).SVC_TELEMETRY_URL,
          version: packageJson.version,
          platform: process.platform,
          log,
        });

  const listeners: Listener[] = [];
  const flush = () =>
    Promise.all([
      presence.flush(),
      tokens.flushLastUsed(),
      sessions.flush(),
      idempotency.forgetOld(),
      enrollment.settle().then(enrollment.expire),
    ]);
  const housekeeping = setInterval(() => {
    flush().catch((err: unknown) => log.warn({ err }, 'housekeeping is put off'));
  }, housekeepingMs).unref();

  return {
    get setupKey() {
      return config.current === null ? setupKey : null;
    },
    notices: [
      ...(config.migrated > 0 ? [`migrated ${config.migrated} plaintext secrets`] : []),
      ...config.problems.map(({ message }) => message),
      ...fileNotices,
      ...memoryNotices(dbPath, activityDbPath),
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
      void telemetry?.report('boot');
      return listeners.map(({ url, fingerprint }) => ({ url, fingerprint }));
    },
    inject: app.inject.bind(app) as FastifyInstance['inject'],
    async close() {
      if (closing) return;
      closing = true;
      clearInterval(housekeeping);
      expiries.stop();
      streams.close();
      const overdue = setTimeout(() => {
        for (const listener of listeners) listener.destroy();
      }, drainMs).unref();
      await Promise.all(listeners.map((listener) => listener.close()));
      clearTimeout(overdue);
      await flush().catch((err: unknown) => log.warn({ err }, 'last-used times were not written'));
      await webPush.close();
      await files.close();
      await app.close();
      await Promise.all([mainStore.close(), activityStore.close()]);
    },
  };
}
