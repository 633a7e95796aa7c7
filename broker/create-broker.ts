/** THE composition: configuration → stores → services → routes → application. Read this first. */

import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { fileIdOf, storesBlock } from '#platform/store-places.ts';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Broker, BrokerOptions } from './broker.ts';
import { type BrokerLifetime, createBrokerLifetime } from './broker-lifetime.ts';
import { composeApp } from './compose-app.ts';
import { composeIdentity, type Identity } from './compose-identity.ts';
import { composeMessaging, type Messaging } from './compose-messaging.ts';
import { composePeople, type People } from './compose-people.ts';
import { wantedConnections } from './config/connection-policy.ts';
import { largestFile } from './config/largest-file.ts';
import { activityRoutes } from './features/activity/activity.routes.ts';
import { attentionRoutes } from './features/attention/attention.routes.ts';
import { auditRoutes } from './features/audit/audit.routes.ts';
import { briefingRoutes } from './features/briefing/briefing.routes.ts';
import { createBriefing } from './features/briefing/briefing.service.ts';
import { channelRoutes } from './features/channels/channels.routes.ts';
import { diagnosticsRoutes } from './features/diagnostics/diagnostics.routes.ts';
import { createDiagnostics, type DiagnosticsService } from './features/diagnostics/diagnostics.service.ts';
import { metricsText } from './features/diagnostics/metrics-text.ts';
import { enrollmentRoutes } from './features/enrollment/enrollment.routes.ts';
import { fileRoutes } from './features/files/files.routes.ts';
import { heldRoutes } from './features/holds/holds.routes.ts';
import { inboxRoutes } from './features/inbox/inbox.routes.ts';
import { createInbox } from './features/inbox/inbox.service.ts';
import { kindRoutes } from './features/kinds/kinds.routes.ts';
import { memberRoutes } from './features/members/members.routes.ts';
import { messageRoutes } from './features/messages/messages.routes.ts';
import { objectiveRoutes } from './features/objectives/objectives.routes.ts';
import { platformConnectRoutes } from './features/platform-connect/platform-connect.routes.ts';
import { presenceRoutes } from './features/presence/presence.routes.ts';
import { receiptRoutes } from './features/receipts/receipts.routes.ts';
import { retentionRoutes } from './features/retention/retention.routes.ts';
import { runRoutes } from './features/runs/runs.routes.ts';
import { searchRoutes } from './features/search/search.routes.ts';
import { sessionRoutes } from './features/sessions/sessions.routes.ts';
import { setupRoutes } from './features/setup/setup.routes.ts';
import { createSetup } from './features/setup/setup.service.ts';
import { teamRoutes } from './features/team/team.routes.ts';
import { createTeam } from './features/team/team.service.ts';
import { createTelemetry, type Telemetry } from './features/telemetry/telemetry.service.ts';
import { tokenRoutes } from './features/tokens/tokens.routes.ts';
import { webPushRoutes } from './features/web-push/web-push.routes.ts';
import { type Foundation, layFoundation } from './foundation.ts';
import { JsonReply } from './http/json-reply.ts';
import { type Metrics, metricsToken } from './http/metrics.ts';
import type { Handlers } from './http/route.ts';
import { type OpenedStores, openStores } from './open-stores.ts';
import { createBoundedWarnings } from './runtime/bounded-warnings.ts';
import { createByteBudget } from './runtime/byte-budget.ts';
import { systemClock } from './runtime/clock.ts';
import { connectionLimit, fileLimitNotice } from './runtime/file-limit.ts';
import { createOperationTimings, type OperationTimings } from './runtime/operation-timings.ts';
import type { Tracing } from './runtime/tracing.ts';
import { unlessDamaged } from './runtime/unless-damaged.ts';
import { fenceStreams } from './standby/fence.ts';
import { openTracing } from './tracing/open-tracing.ts';
import type { OnLimit } from './wire/connection-guard.ts';
import { isForwarded } from './wire/forwarded.ts';

export type { Broker, BrokerOptions, KeyKeeping, ListenAt, SecureListener } from './broker.ts';
export { readKeyText } from './config/kek-file.ts';
export type { Keychain } from './config/keychain.ts';
export { type ConsoleFiles, consoleFileOf, readConsoleFiles } from './http/console-files.ts';
export { logDestination } from './runtime/log-destination.ts';
export { beginEmpty, type MachinePlaces, sealTeamKey, traceOfTeam } from './standby/begin-empty.ts';
export { forgetCopy } from './standby/kept-position.ts';
export type { Term } from './standby/term.ts';
export { databaseFault, readMachines, standbyLateMs, termOf } from './standby/term-of.ts';

const { version } = packageJson;

type Parts = Foundation & People & Messaging & Identity;

/** @throws StartUpError with one sentence that says what to do; files are left as they were. */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { env = process.env, clock = systemClock, log } = options;
  const tracing = await openTracing({ env, version, clock, log });
  const teardown = new AsyncDisposableStack();
  // Deferred first, so that a collector that does not answer delays nothing but the end of the process.
  if (tracing !== null) teardown.defer(tracing.close);
  try {
    const opened = await openStores(options);
    teardown.defer(opened.close);
    const broker = await compose(options, { opened, tracing }, teardown);
    await opened.removePlainKey();
    return broker;
  } catch (error) {
    // Open stores would keep their locks, and the process, forever.
    await teardown.disposeAsync();
    throw error;
  }
}

async function compose(
  options: BrokerOptions,
  { opened, tracing }: { opened: OpenedStores; tracing: Tracing | null },
  teardown: AsyncDisposableStack,
): Promise<Broker> {
  const foundation = await layFoundation(options, opened, teardown, tracing);
  const telemetry = telemetryOf(options);
  const people = composePeople(foundation);
  const messaging = composeMessaging(foundation, people, () => void telemetry?.report('directive-complete'));
  const identity = composeIdentity(foundation, people, messaging);
  const parts = { ...foundation, ...people, ...messaging, ...identity };
  const fileNotices = await load(parts);
  const { config } = foundation;
  const setupKey = randomBytes(32).toString('base64url');
  const onLimit = createLimitLog(foundation);
  const lifetime = lifetimeOf(parts, telemetry, onLimit, options.term);
  const app = await appOf(parts, {
    options,
    lifetime,
    onLimit,
    telemetry,
    timings: createOperationTimings(),
    setupKey,
  });
  lifetime.begin(app.routing);
  if (options.term !== undefined) fenceStreams(options.term, parts);
  // Deferred last, so that it runs first: nobody is connected anymore when the parts end.
  teardown.defer(lifetime.end);
  return {
    get setupKey() {
      return config.current === null ? setupKey : null;
    },
    notices: [
      ...opened.keyNotices,
      ...(config.migrated > 0 ? [`migrated ${config.migrated} plaintext secrets`] : []),
      ...config.problems.map(({ message }) => message),
      ...fileNotices,
      ...[fileLimitNotice(connectionLimit(), wantedConnections(config.current?.listen)) ?? []].flat(),
      ...opened.memoryNotices,
    ],
    listen: lifetime.listen,
    secureListener: lifetime.secureListener,
    keyKeeping: opened.keyKeeping,
    inject: app.inject.bind(app),
    close: () => teardown.disposeAsync(),
  };
}

function telemetryOf({ telemetryPath, env = process.env, log }: BrokerOptions): Telemetry | null {
  if (telemetryPath === undefined) return null;
  const { platform } = process;
  return createTelemetry({ path: telemetryPath, url: env.SVC_TELEMETRY_URL, version, platform, log });
}

/**
 * Brings what is stored in line with the configuration, and loads what is held in memory. Returns sentences
 * about the files.
 */
async function load(parts: Parts): Promise<string[]> {
  const { audit, membership, channels, enrollment, tokens, devices, sessions } = parts;
  const { presence, kinds, runs, webPush, outbox, indexer, files, retention, streams } = parts;
  await audit.load();
  await membership.repair();
  await channels.load();
  // A damaged index stops no start; they are finished after the repair.
  await unlessDamaged(enrollment.finishApprovals());
  await tokens.load();
  await devices.load();
  await sessions.load();
  await presence.load();
  await kinds.load();
  await runs.load();
  await webPush.load((plane, id) => (plane === 'session' ? sessions.has(id) : tokens.find(id) !== undefined));
  // The activity store may be out of use; what is staged for it waits.
  await unlessDamaged(outbox.drain());
  await retention.load();
  indexer.wake(streams.team.position);
  return files.load();
}

function lifetimeOf(
  parts: Parts,
  telemetry: Telemetry | null,
  onLimit: OnLimit,
  term: BrokerOptions['term'],
): BrokerLifetime {
  const { audit, config, streams, clock, clockWatch, log, presence } = parts;
  const { tokens, sessions, knocks, webPush, idempotency, enrollment, retention } = parts;
  return createBrokerLifetime({
    config,
    streams,
    onListening: () => void telemetry?.report('boot'),
    flush: () => {
      clockWatch.look();
      knocks.flush();
      return Promise.all([
        presence.flush(),
        tokens.flushLastUsed(),
        sessions.flush(),
        webPush.flush(),
        idempotency.forgetOld(),
        audit.flush(),
        enrollment.finishApprovals().then(enrollment.expire),
      ]);
    },
    keepUp: () => Promise.all([retention.keepUp(), term?.keepFiles()]),
    onLimit,
    openDoor: term?.openDoor,
    keepFiles: term?.keepFiles,
    clock,
    log,
  });
}

/** Says that somebody hit a limit, in the log and in the audit log, at a bounded rate. */
function createLimitLog({ audit, log, clock }: Foundation): OnLimit {
  const warn = createBoundedWarnings(log, clock);
  return (limit, source) => {
    warn({ limit, source }, `a limit was hit: ${limit}`);
    audit.count('limit_hit', { subject: limit, address: source });
  };
}

interface Around {
  options: BrokerOptions;
  lifetime: BrokerLifetime;
  onLimit: OnLimit;
  telemetry: Telemetry | null;
  timings: OperationTimings;
  setupKey: string;
}

async function appOf(parts: Parts, around: Around): Promise<FastifyInstance> {
  const { config, members, files, credentials, streams, presence, teardown, tracing, clock, log } = parts;
  const { options, lifetime, timings } = around;
  const fileHandlers = fileRoutes(files);
  const diagnostics = diagnosticsOf(parts, around);
  const app = await composeApp(
    {
      version,
      config,
      members,
      files,
      kinds: parts.kinds,
      credentials,
      replies: streams.replies,
      growth: parts.growth,
      announceChange: streams.announceChange,
      onSeen: ({ name }) => presence.seen(name),
      connections: lifetime.connections,
      onLimit: around.onLimit,
      timings,
      isClosing: () => lifetime.isClosing,
      isActive: () => options.term?.isReliable ?? true,
      authority: () => lifetime.secureListener.authority,
      metrics: metricsOf(parts, around, diagnostics),
      tracing,
      consoleFolder: options.consoleFolder,
      docsFolder: options.docsFolder,
      clock,
      log,
    },
    [fileHandlers, ...teamRoutesOf(parts), ...hostRoutesOf(parts, around, diagnostics)],
    fileHandlers,
  );
  teardown.defer(() => app.close());
  return app;
}

/** The routes of the team's data. */
function teamRoutesOf(parts: Parts): Handlers[] {
  const {
    members,
    membership,
    memberTokens,
    login,
    links,
    sessions,
    knocks,
    authenticator,
    channels,
    messages,
  } = parts;
  return [
    briefingRoutes(createBriefing({ members, openObjectivesOf: parts.objectives.openOf })),
    presenceRoutes(parts.presence),
    memberRoutes(membership),
    tokenRoutes(memberTokens),
    sessionRoutes({ login, links, sessions, knocks, authenticator, members }),
    teamRoutes(createTeam({ members })),
    channelRoutes(channels),
    messageRoutes(messages),
    objectiveRoutes(parts.objectives),
    activityRoutes(parts.activity, createByteBudget(limits.activity.intake)),
    enrollmentRoutes(parts.enrollment),
    webPushRoutes(parts.webPush),
    platformConnectRoutes(parts.platformConnect),
    searchRoutes(parts.search),
    receiptRoutes(parts.receipts),
    attentionRoutes(parts.attention),
    inboxRoutes(createInbox(parts)),
    kindRoutes(parts.kinds),
    runRoutes(parts.runs, parts.runTokens),
    heldRoutes(parts.holds),
    auditRoutes(parts.audit),
    retentionRoutes(parts.retention),
  ];
}

/** The routes of the broker itself. */
function hostRoutesOf(
  { config, tokens, channels, login, clock, log, mainStore, activityStore }: Parts,
  { options, lifetime, setupKey }: Around,
  diagnostics: DiagnosticsService,
): Handlers[] {
  const setup = createSetup({
    config,
    key: setupKey,
    filesRoot: options.filesRoot ?? 'files',
    stores: storesBlock(config.path, { main: mainStore.file, activity: activityStore.file }),
    onConfigured: async () => {
      await tokens.load();
      await channels.load();
      options.onSetUp?.();
    },
    login,
    keepToken: options.keepToken ?? (async () => null),
    clock,
    onStepFailed: (error) => log.warn({ err: error }, 'the setup could not log its first member in'),
  });
  // Text, so that a monitor alone does not make the broker load the compiler of serializers.
  const health = new JsonReply(JSON.stringify({ status: 'ok', version }));
  const healthNow = () => {
    if (mainStore.store.isLost || activityStore.store.isLost) refuse('store_lost');
    return health;
  };
  const ready = new JsonReply(JSON.stringify({ status: 'ready', version }));
  const readyNow: Handlers['ready'] = ({ reply }) => {
    // Another machine passed the connection on, and is the one that is asked.
    if (isForwarded(reply.request.raw.socket)) refuse('standing_by');
    healthNow();
    return ready;
  };
  const addresses = () => ({ addresses: lifetime.addresses() });
  return [
    { health: healthNow, ready: readyNow, addresses },
    setupRoutes(setup),
    diagnosticsRoutes(diagnostics),
  ];
}

function metricsOf(
  { mainStore, activityStore, webPush }: Parts,
  { options, timings }: Around,
  diagnostics: DiagnosticsService,
): Metrics | null {
  const token = metricsToken(options.env ?? process.env);
  if (token === null) return null;
  return {
    token,
    read: async () =>
      metricsText({
        diagnostics: await diagnostics.read(),
        durations: timings.durations(),
        commits: [mainStore, activityStore].map(({ name, store }) => ({ name, ...store.committed })),
        pushResults: webPush.results,
        leaseAge: options.term?.leaseAge ?? null,
      }),
  };
}

function diagnosticsOf(parts: Parts, { lifetime, telemetry, timings }: Around): DiagnosticsService {
  const { config, streams, mainStore, activityStore, teardown, clock, clockWatch } = parts;
  const diagnostics = createDiagnostics({
    version,
    clock,
    listeners: lifetime.listening,
    streams: { messages: streams.team, activity: streams.activity },
    stores: [mainStore, activityStore],
    fileIdOf,
    operations: timings.read,
    federation: parts.jwtSettings,
    telemetry: async () => (await telemetry?.status()) ?? { isEnabled: false, endpoint: null },
    filesFault: parts.files.fault,
    clockTrouble: clockWatch.trouble,
    maxFileSize() {
      const files = config.current?.files;
      return files === undefined ? limits.maxFileSize : largestFile(files);
    },
  });
  teardown.defer(diagnostics.stop);
  return diagnostics;
}
