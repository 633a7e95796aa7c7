/** THE composition: configuration → stores → services → routes → application. Read this first. */
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { limits } from '#protocol/limits.ts';
import type { OperationId } from '#protocol/operations.ts';
import type { ChangeFrame, ReceiptFrame } from '#protocol/stream.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Broker, BrokerOptions, KeyKeeping } from './broker.ts';
import { type ConfigStore, openConfig } from './config/config-store.ts';
import { openKek } from './config/kek-file.ts';
import { openPlatformOverlay, type PlatformOverlay } from './config/platform-overlay.ts';
import { activityRoutes } from './features/activity/activity.routes.ts';
import { createActivity } from './features/activity/activity.service.ts';
import type { ActivityUnits } from './features/activity/activity.sqlite.ts';
import { entriesOf, readyFrame, resetFrame } from './features/activity/activity-frames.ts';
import { createActivityOutbox } from './features/activity/activity-outbox.service.ts';
import type { ActivityReadUnits } from './features/activity/activity-reads.sqlite.ts';
import type { ActivityUploadUnits } from './features/activity/activity-upload.sqlite.ts';
import type { OutboxUnits } from './features/activity/outbox.sqlite.ts';
import { briefingRoutes } from './features/briefing/briefing.routes.ts';
import { createBriefing } from './features/briefing/briefing.service.ts';
import { announceChanges, type Resource } from './features/changes/announce-changes.ts';
import { channelRoutes } from './features/channels/channels.routes.ts';
import { createChannels } from './features/channels/channels.service.ts';
import type { ChannelUnits } from './features/channels/channels.sqlite.ts';
import { diagnosticsRoutes } from './features/diagnostics/diagnostics.routes.ts';
import { createDiagnostics } from './features/diagnostics/diagnostics.service.ts';
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
import { objectiveRoutes } from './features/objectives/objectives.routes.ts';
import { createObjectives, type ObjectivesDeps } from './features/objectives/objectives.service.ts';
import type { ObjectiveUnits } from './features/objectives/objectives.sqlite.ts';
import { platformConnectRoutes } from './features/platform-connect/platform-connect.routes.ts';
import { createPlatformConnect } from './features/platform-connect/platform-connect.service.ts';
import type { PlatformConnectUnits } from './features/platform-connect/platform-connect.sqlite.ts';
import { presenceRoutes } from './features/presence/presence.routes.ts';
import { createPresence } from './features/presence/presence.service.ts';
import type { PresenceUnits } from './features/presence/presence.sqlite.ts';
import { createDelivered } from './features/receipts/delivered.service.ts';
import { receiptRoutes } from './features/receipts/receipts.routes.ts';
import { createReceipts } from './features/receipts/receipts.service.ts';
import type { ReceiptUnits } from './features/receipts/receipts.sqlite.ts';
import type { UnreadUnits } from './features/receipts/unread.sqlite.ts';
import type { WaitingUnits } from './features/receipts/waiting.sqlite.ts';
import { createIndexer } from './features/search/indexer.service.ts';
import { searchRoutes } from './features/search/search.routes.ts';
import { createSearch } from './features/search/search.service.ts';
import type { SearchUnits } from './features/search/search.sqlite.ts';
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
import { readConsoleFiles } from './http/console-files.ts';
import { type Listener, listenHttp } from './http/listeners.ts';
import { type Audience, createLiveStreams } from './http/live-streams.ts';
import { openApiDocument } from './http/openapi.ts';
import { createRateLimit, sourceKey } from './http/rate-limit.ts';
import { createOwnHosts } from './http/request-guard.ts';
import type { Handlers } from './http/route.ts';
import { sseFrame } from './http/sse.ts';
import type { Actor } from './runtime/actor.ts';
import { createByteBudget } from './runtime/byte-budget.ts';
import { systemClock } from './runtime/clock.ts';
import { createExpiries } from './runtime/expiries.ts';
import { createMessageStamps } from './runtime/message-stamps.ts';
import { createOutbound } from './runtime/outbound-fetch.ts';
import { createSecureListener } from './secure-listener.ts';
import { createJwtVerifier } from './security/jwt.ts';
import { mintChannelId, mintObjectiveId } from './security/short-id.ts';
import { createBlobStore } from './storage/blobs/blob-store.ts';
import type { IdentityUnits } from './storage/sqlite/identity.sqlite.ts';
import { openStore, type Store } from './storage/store-host.ts';

export type { Broker, BrokerOptions, KeyKeeping, ListenAt, SecureListener } from './broker.ts';
export type { Keychain } from './config/keychain.ts';

type MainUnits = IdentityUnits &
  OutboxUnits &
  MessageUnits &
  MissedUnits &
  ObjectiveUnits &
  ChannelUnits &
  FileUnits &
  IdempotencyUnits &
  TokenUnits &
  MemberUnits &
  SessionUnits &
  PresenceUnits &
  EnrollmentUnits &
  WebPushUnits &
  PlatformConnectUnits &
  SearchUnits &
  ReceiptUnits &
  UnreadUnits &
  WaitingUnits;

type ActivityStoreUnits = ActivityUnits & ActivityUploadUnits & ActivityReadUnits;

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
  keyKeeping: KeyKeeping;
  keyNotices: readonly string[];
  mainStore: Store<MainUnits>;
  activityStore: Store<ActivityStoreUnits>;
}

/** @throws StartUpError with one sentence that says what to do; files are left as they were. */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { configPath, log, dbPath = inMemory, activityDbPath = inMemory } = options;
  const kek = await openKek({ configPath, env: options.env ?? process.env, keychain: options.keychain });
  const config = await openConfig({ path: configPath, kek });
  const overlay = await openPlatformOverlay(configPath);
  const [mainStore, activityStore] = await openTogether(
    openStore<MainUnits>({ store: 'main', file: dbPath, threadModule, log }),
    openStore<ActivityStoreUnits>({ store: 'activity', file: activityDbPath, threadModule, log }),
  );
  try {
    const keyKeeping: KeyKeeping = {
      place: kek.place,
      path: kek.path,
      reveal: () => kek.key.export().toString('base64'),
    };
    const broker = await compose(options, {
      config,
      overlay,
      keyKeeping,
      keyNotices: kek.notices,
      mainStore,
      activityStore,
    });
    await kek.settle().catch((err: unknown) => log.warn({ err }, 'the plain key file could not be removed'));
    return broker;
  } catch (error) {
    // Open stores would hold their locks, and the process, for good.
    await Promise.all([mainStore.close(), activityStore.close()]);
    throw error;
  }
}

async function compose(options: BrokerOptions, opened: Opened): Promise<Broker> {
  const { log, clock = systemClock, dbPath = inMemory, activityDbPath = inMemory } = options;
  const { config, overlay, keyKeeping, mainStore, activityStore } = opened;
  const main = mainStore.units;
  const storeId = await main.storeIdentity();
  const storeCreatedAt = await main.storeCreatedAt({ now: clock() });
  const { seq, ts } = await main.lastAccepted();

  const streams = createLiveStreams({
    position: seq,
    clock,
    onChange: (name) => announcePresence(name),
    onError: (err) => log.error({ err }, 'a stream could not be resumed'),
  });
  const activityStreams = createLiveStreams({
    position: 0,
    clock,
    onError: (err) => log.error({ err }, 'an activity stream could not be read on'),
  });
  const endStreamsOf = (credentialId: string): void => {
    streams.end({ credentialId });
    activityStreams.end({ credentialId });
  };
  function announce(event: string, data: object, audience: Audience): void {
    streams.announce(sseFrame(event, JSON.stringify(data)), audience);
  }
  const announceChange = (resource: Resource, id: string, audience: Audience): void =>
    announce('change', { resource, id } satisfies ChangeFrame, audience);
  function announcePresence(name: string): void {
    const present = presence.of(name);
    if (present !== null) announce('presence', present, 'everyone');
  }
  const expiries = createExpiries(clock);
  const onPutOff = (err: unknown) => log.warn({ err }, 'a write is made up for at the next start');
  const members = createMembers({
    config,
    onPermissionsChanged: [(member) => activity.onPermissionsChanged(member)],
  });
  const activity = createActivity({
    units: activityStore.units,
    streams: activityStreams,
    members,
    clock,
    frames: { ready: readyFrame, reset: resetFrame, entriesOf },
  });
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
    onRevoked: endStreamsOf,
    onPutOff,
  });
  const memberTokens = createMemberTokens({ config, members, tokens, units: main, onPutOff });
  const sessions = createSessions({
    units: main,
    clock,
    members,
    expiries,
    onEnded: endStreamsOf,
    onPutOff,
  });
  const login = createLogin({ config, members, sessions, units: main, clock });
  const authenticator = createAuthenticator({ config, sessions, units: main });
  const team = createTeam({ members });
  const presence = createPresence({
    units: main,
    clock,
    members,
    connections: streams.connections,
    onBusyChanged: announcePresence,
  });
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
      activity.forgetMember,
    ],
    releaseObjectives: (name) => objectives.releaseOf(name),
    onPutOff,
  });
  const channels = createChannels({
    units: main,
    members,
    clock,
    mintId: mintChannelId,
    since: storeCreatedAt,
    onChanged: (id) => announceChange('channel', id, 'everyone'),
  });
  const briefing = createBriefing({ members, openObjectivesOf: (name) => objectives.openOf(name) });
  const idempotency = createIdempotency({ units: main, clock });
  const blobs = createBlobStore({
    root: () => config.resolvePath(config.current?.files?.root ?? 'files'),
    owner: { storeId, isOnDisk: dbPath !== inMemory },
    unreferenced: (hashes) => main.unreferencedBlobs(hashes),
    log,
  });
  const files = createFiles({ units: main, blobs, config, members, clock, log });
  const indexer = createIndexer({
    units: main,
    members,
    onError: (err) => log.warn({ err }, 'indexing is put off'),
  });
  const search = createSearch({ units: main, members, indexer });
  const delivered = createDelivered({ units: main, streams, onPutOff });
  const receipts = createReceipts({
    units: main,
    members,
    indexer,
    delivered,
    clock,
    onReceipt: (audience, notice) => announce('receipt', notice satisfies ReceiptFrame, audience),
  });
  const onAccepted: ObjectivesDeps['onAccepted'] = (message, readers, concerned) => {
    webPush.onAccepted(message, readers, concerned);
    indexer.wake();
  };
  const nextStamp = createMessageStamps(clock, ts);
  const frames = createMessageFrames(storeId);
  const messages = createMessages({
    units: main,
    members,
    streams,
    idempotency,
    hasFiles: files.isEnabled,
    nextStamp,
    frames,
    onAccepted,
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
  const outbox = createActivityOutbox({
    main,
    activity: activityStore.units,
    storeId,
    clock,
    onStored: activity.onStored,
  });
  const objectives = createObjectives({
    units: main,
    members,
    files,
    streams,
    frames,
    idempotency,
    mintId: mintObjectiveId,
    nextStamp,
    outbox,
    onAccepted,
    onDone: () => void telemetry?.report('directive-complete'),
    onReleased: (id) => announceChange('objective', id, 'everyone'),
    onPutOff,
  });
  const listeners: Listener[] = [];
  let closing = false;
  const secureListener = createSecureListener({
    config,
    clock,
    log,
    handle: (request, response) => app.routing(request, response),
    endStreams() {
      for (const hub of [streams, activityStreams]) hub.endWhere(({ isEncrypted }) => isEncrypted);
    },
    isClosing: () => closing,
    drainMs,
  });
  function listening(): Pick<Listener, 'url' | 'fingerprint'>[] {
    const { socket } = secureListener;
    const all = socket === null ? listeners : [...listeners, socket];
    return all.map(({ url, fingerprint }) => ({ url, fingerprint }));
  }
  const fileOf = (path: string): string | null => (path === inMemory ? null : path);
  const diagnostics = createDiagnostics({
    version: packageJson.version,
    clock,
    listeners: listening,
    streams: { messages: streams, activity: activityStreams },
    stores: [
      { name: 'main', file: fileOf(dbPath), store: mainStore },
      { name: 'activity', file: fileOf(activityDbPath), store: activityStore },
    ],
    maxFileSize: () => config.current?.files?.maxFileSize ?? limits.maxFileSize,
  });
  const setupKey = randomBytes(32).toString('base64url');
  const setup = createSetup({
    config,
    key: setupKey,
    filesRoot: options.filesRoot ?? 'files',
    onConfigured: async () => {
      await tokens.load();
      await channels.load();
    },
  });

  await membership.repair();
  await channels.load();
  await enrollment.settle();
  await tokens.load();
  await sessions.load();
  await presence.load();
  await webPush.load();
  await outbox.drain();
  indexer.wake();
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
    channelRoutes(channels),
    messageRoutes(messages),
    objectiveRoutes(objectives),
    fileHandlers,
    activityRoutes(activity, createByteBudget(limits.activity.intake)),
    enrollmentRoutes(enrollment),
    webPushRoutes(webPush),
    platformConnectRoutes(platformConnect),
    searchRoutes(search),
    receiptRoutes(receipts),
    diagnosticsRoutes(diagnostics),
  ];
  const telling = routes.map((handlers) =>
    announceChanges(
      handlers,
      {
        announce: announceChange,
        managers: () =>
          members
            .all()
            .filter(({ permissions }) => permissions.includes('members.manage'))
            .map(({ name }) => name),
        fileReaders: files.readers,
      },
      (err) => log.warn({ err }, 'a change was not announced'),
    ),
  );
  const routed = [...routes.flatMap((handlers) => Object.keys(handlers)), 'openapi'] as OperationId[];
  const document = openApiDocument(routed, packageJson.version);
  const app = createApp(
    {
      log,
      isOwnHost: createOwnHosts(() => config.current?.listen?.hosts ?? []),
      trustedProxies: config.current?.listen?.trustedProxies ?? [],
      consoleFiles:
        options.consoleFolder === undefined ? undefined : await readConsoleFiles(options.consoleFolder),
      authority: () => secureListener.authority,
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
    [...telling, { openapi: () => document }],
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

  const flush = () =>
    Promise.all([
      presence.flush(),
      tokens.flushLastUsed(),
      sessions.flush(),
      idempotency.forgetOld(),
      enrollment.settle().then(enrollment.expire),
    ]);
  let renewalFault: string | null = null;
  /** Another address, or a certificate near its end; what fails is said once, not at each look. */
  async function renewCertificate(): Promise<void> {
    try {
      await secureListener.renew();
      renewalFault = null;
    } catch (error) {
      const fault = String(error);
      if (fault !== renewalFault) log.warn({ err: error }, 'the certificate could not be renewed');
      renewalFault = fault;
    }
  }
  const housekeeping = setInterval(() => {
    void renewCertificate();
    flush().catch((err: unknown) => log.warn({ err }, 'housekeeping is put off'));
  }, housekeepingMs).unref();

  return {
    get setupKey() {
      return config.current === null ? setupKey : null;
    },
    notices: [
      ...opened.keyNotices,
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
        await secureListener.open(at.isSecureOptional ?? false);
        listeners.push(plain);
      } catch (error) {
        await plain.close();
        throw error;
      }
      void telemetry?.report('boot');
      await renewCertificate();
      return listening();
    },
    secureListener,
    keyKeeping,
    inject: app.inject.bind(app) as FastifyInstance['inject'],
    async close() {
      if (closing) return;
      closing = true;
      clearInterval(housekeeping);
      expiries.stop();
      await delivered.stop();
      await secureListener.settle();
      const { socket } = secureListener;
      const open = socket === null ? listeners : [...listeners, socket];
      streams.close();
      activityStreams.close();
      const overdue = setTimeout(() => {
        for (const listener of open) listener.destroy();
      }, drainMs).unref();
      await Promise.all(open.map((listener) => listener.close()));
      clearTimeout(overdue);
      await flush().catch((err: unknown) => log.warn({ err }, 'last-used times were not written'));
      await webPush.close();
      await indexer.stop();
      diagnostics.stop();
      await files.close();
      await app.close();
      await Promise.all([mainStore.close(), activityStore.close()]);
    },
  };
}
