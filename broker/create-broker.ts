/** THE composition: configuration → stores → services → routes → application. Read this first. */
import { randomBytes } from 'node:crypto';
import { limits } from '#protocol/limits.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Broker, BrokerOptions } from './broker.ts';
import { createBrokerLifetime } from './broker-lifetime.ts';
import { createBrokerStreams } from './broker-streams.ts';
import { composeApp } from './compose-app.ts';
import { composeIdentity } from './compose-identity.ts';
import { composeMessaging } from './compose-messaging.ts';
import { activityRoutes } from './features/activity/activity.routes.ts';
import { createActivity } from './features/activity/activity.service.ts';
import { entriesOf, readyFrame, resetFrame } from './features/activity/activity-frames.ts';
import { briefingRoutes } from './features/briefing/briefing.routes.ts';
import { createBriefing } from './features/briefing/briefing.service.ts';
import { channelRoutes } from './features/channels/channels.routes.ts';
import { diagnosticsRoutes } from './features/diagnostics/diagnostics.routes.ts';
import { createDiagnostics } from './features/diagnostics/diagnostics.service.ts';
import { enrollmentRoutes } from './features/enrollment/enrollment.routes.ts';
import { fileRoutes } from './features/files/files.routes.ts';
import { memberRoutes } from './features/members/members.routes.ts';
import { messageRoutes } from './features/messages/messages.routes.ts';
import { objectiveRoutes } from './features/objectives/objectives.routes.ts';
import { platformConnectRoutes } from './features/platform-connect/platform-connect.routes.ts';
import { presenceRoutes } from './features/presence/presence.routes.ts';
import { createPresence } from './features/presence/presence.service.ts';
import { receiptRoutes } from './features/receipts/receipts.routes.ts';
import { searchRoutes } from './features/search/search.routes.ts';
import { sessionRoutes } from './features/sessions/sessions.routes.ts';
import { setupRoutes } from './features/setup/setup.routes.ts';
import { createSetup } from './features/setup/setup.service.ts';
import { teamRoutes } from './features/team/team.routes.ts';
import { createTeam } from './features/team/team.service.ts';
import { createTelemetry } from './features/telemetry/telemetry.service.ts';
import { tokenRoutes } from './features/tokens/tokens.routes.ts';
import { webPushRoutes } from './features/web-push/web-push.routes.ts';
import { type OpenedStores, openStores } from './open-stores.ts';
import { createByteBudget } from './runtime/byte-budget.ts';
import { systemClock } from './runtime/clock.ts';
import { createOutbound } from './runtime/outbound-fetch.ts';

export type { Broker, BrokerOptions, KeyKeeping, ListenAt, SecureListener } from './broker.ts';
export type { Keychain } from './config/keychain.ts';

const { version } = packageJson;

/** @throws StartUpError with one sentence that says what to do; files are left as they were. */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const opened = await openStores(options);
  try {
    const broker = await compose(options, opened);
    await opened.settleKey();
    return broker;
  } catch (error) {
    // Open stores would hold their locks, and the process, for good.
    await opened.close();
    throw error;
  }
}

/** Callbacks may name what stands further down: none is called before that is there. */
async function compose(options: BrokerOptions, opened: OpenedStores): Promise<Broker> {
  const { log, clock = systemClock, env = process.env, telemetryPath } = options;
  const { config, overlay, main, activity: activityStore } = opened;
  const { units } = main.store;
  const storeId = await units.storeIdentity();
  const storeCreatedAt = await units.storeCreatedAt({ now: clock() });
  const { seq, ts: lastTs } = await units.lastAccepted();
  const onPutOff = (err: unknown) => log.warn({ err }, 'a write is made up for at the next start');

  const streams = createBrokerStreams({ position: seq, presenceOf: (name) => presence.of(name), clock, log });
  const outbound = createOutbound({ allowHosts: () => config.current?.outbound?.allowHosts ?? [] });
  const { platform } = process;
  const telemetry =
    telemetryPath === undefined
      ? null
      : createTelemetry({ path: telemetryPath, url: env.SVC_TELEMETRY_URL, version, platform, log });
  const identity = composeIdentity({
    units,
    config,
    overlay,
    outbound,
    onCredentialEnded: streams.endOf,
    onPermissionsChanged: [(member) => activity.onPermissionsChanged(member)],
    onMemberRemoved: [
      (name) => presence.forget(name),
      (name) => webPush.forgetMember(name),
      (name) => streams.team.end({ key: name }),
      (name) => activity.forgetMember(name),
    ],
    releaseObjectives: (name) => objectives.releaseOf(name),
    onPutOff,
    clock,
    log,
  });
  const { members, membership, enrollment, platformConnect } = identity;
  const { tokens, memberTokens, sessions, login, authenticator, credentials } = identity;
  const team = createTeam({ members });
  const activity = createActivity({
    units: activityStore.store.units,
    streams: streams.activity,
    members,
    clock,
    frames: { ready: readyFrame, reset: resetFrame, entriesOf },
  });
  const presence = createPresence({
    units,
    clock,
    members,
    connections: streams.team.connections,
    onBusyChanged: streams.announcePresence,
  });
  const messaging = composeMessaging({
    main,
    storeId,
    storeCreatedAt,
    lastTs,
    config,
    members,
    streams,
    activityUnits: activityStore.store.units,
    onActivityStored: activity.onStored,
    outbound,
    onObjectiveDone: () => void telemetry?.report('directive-complete'),
    onPutOff,
    clock,
    log,
  });
  const { channels, messages, objectives, files, search, indexer } = messaging;
  const { receipts, delivered, webPush, outbox, idempotency } = messaging;
  const briefing = createBriefing({ members, openObjectivesOf: objectives.openOf });
  const diagnostics = createDiagnostics({
    version,
    clock,
    listeners: () => lifetime.listening(),
    streams: { messages: streams.team, activity: streams.activity },
    stores: [main, activityStore],
    federation: identity.jwtSettings,
    telemetry: async () => (await telemetry?.status()) ?? { isEnabled: false, endpoint: null },
    maxFileSize: () => config.current?.files?.maxFileSize ?? limits.maxFileSize,
  });
  const setupKey = randomBytes(32).toString('base64url');
  const setup = createSetup({
    config,
    key: setupKey,
    filesRoot: options.filesRoot ?? 'files',
    onConfigured: () => tokens.load().then(channels.load),
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

  const fileHandlers = fileRoutes(files);
  const app = await composeApp(
    {
      version,
      config,
      members,
      files,
      credentials,
      announceChange: streams.announceChange,
      onSeen: ({ name }) => presence.seen(name),
      isClosing: () => lifetime.isClosing,
      authority: () => lifetime.secureListener.authority,
      consoleFolder: options.consoleFolder,
      clock,
      log,
    },
    [
      { health: () => ({ status: 'ok', version }) },
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
    ],
    fileHandlers,
  );
  const lifetime = createBrokerLifetime({
    config,
    streams,
    handle: (request, response) => app.routing(request, response),
    onListening: () => void telemetry?.report('boot'),
    flush: () =>
      Promise.all([
        presence.flush(),
        tokens.flushLastUsed(),
        sessions.flush(),
        idempotency.forgetOld(),
        enrollment.settle().then(enrollment.expire),
      ]),
    async stop() {
      identity.expiries.stop();
      await delivered.stop();
    },
    async end() {
      await webPush.close();
      await indexer.stop();
      diagnostics.stop();
      await files.close();
      await app.close();
      await opened.close();
    },
    clock,
    log,
  });

  return {
    get setupKey() {
      return config.current === null ? setupKey : null;
    },
    notices: [
      ...opened.keyNotices,
      ...(config.migrated > 0 ? [`migrated ${config.migrated} plaintext secrets`] : []),
      ...config.problems.map(({ message }) => message),
      ...fileNotices,
      ...opened.memoryNotices,
    ],
    listen: lifetime.listen,
    secureListener: lifetime.secureListener,
    keyKeeping: opened.keyKeeping,
    inject: app.inject.bind(app),
    close: lifetime.close,
  };
}
