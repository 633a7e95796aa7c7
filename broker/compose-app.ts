/**
 * From routes to the application: which operations exist, who is admitted, and the news that follows a
 * success.
 */
import type { FastifyInstance } from 'fastify';
import { limits } from '#protocol/limits.ts';
import type { OperationId } from '#protocol/operations.ts';
import type { ConfigStore } from './config/config-store.ts';
import { announceChanges, type ChangeNews } from './features/changes/announce-changes.ts';
import type { Files } from './features/files/files.service.ts';
import type { Kinds } from './features/kinds/kinds.service.ts';
import type { Members } from './features/members/members.service.ts';
import { createApp } from './http/app.ts';
import type { CredentialReader } from './http/authenticate.ts';
import { readConsoleFiles } from './http/console-files.ts';
import { holdLargeBodies } from './http/json-body.ts';
import type { Metrics } from './http/metrics.ts';
import { openApiDocument } from './http/openapi.ts';
import { createRateLimit, sourceKey } from './http/rate-limit.ts';
import type { RepliesInTransit } from './http/replies-in-transit.ts';
import { createOwnHosts } from './http/request-guard.ts';
import type { Handlers, RouteContext } from './http/route.ts';
import type { Actor } from './runtime/actor.ts';
import { createByteBudget } from './runtime/byte-budget.ts';
import type { Clock } from './runtime/clock.ts';
import { createCompany, createFairQueue } from './runtime/fair-queue.ts';
import type { Log } from './runtime/log.ts';
import type { OperationTimings } from './runtime/operation-timings.ts';
import { createSlots } from './runtime/slots.ts';
import type { StoreGrowth } from './runtime/store-growth.ts';
import type { Tracing } from './runtime/tracing.ts';
import type { OnLimit } from './wire/connection-guard.ts';

export interface AppDeps {
  version: string;
  config: ConfigStore;
  members: Pick<Members, 'managers'>;
  kinds: Pick<Kinds, 'hasRun'>;
  files: Pick<Files, 'readers' | 'readersWithin' | 'refuseDisabled'>;
  credentials: CredentialReader;
  replies: RepliesInTransit;
  announceChange: ChangeNews['announce'];
  onSeen: (actor: Actor) => void;
  connections: RouteContext['connections'];
  onLimit: OnLimit;
  timings: OperationTimings;
  isClosing: () => boolean;
  /** False while another broker may be the active one. */
  isActive: () => boolean;
  /** PEM of the team's own authority; null if there is none. */
  authority: () => string | null;
  /** Null: they are not offered. */
  metrics: Metrics | null;
  /** Null: requests have no spans. */
  tracing: Tracing | null;
  /** The built console; without it, there is only the API. */
  growth: StoreGrowth;
  consoleFolder: string | undefined;
  /** The built documentation, which may be absent. */
  docsFolder: string | undefined;
  clock: Clock;
  log: Log;
}

/** Returns the queues. A member who only reads is company for one who posts, and the other way around. */
function createTurns(): RouteContext['turns'] {
  const { reads, changes, uploads } = limits.turns;
  const company = createCompany();
  return {
    reads: createFairQueue({ ...reads, company }),
    changes: createFairQueue({ ...changes, company }),
    uploads: createFairQueue(uploads),
  };
}

/**
 * Ready for requests when it resolves. `fileRoutes` are refused without a `files` block
 * (specification/files.md#operations).
 */
export async function composeApp(
  deps: AppDeps,
  routes: readonly Handlers[],
  fileRoutes: Handlers,
): Promise<FastifyInstance> {
  const { version, config, members, files, credentials, announceChange } = deps;
  const { onSeen, connections, onLimit, timings, isClosing, authority, metrics, consoleFolder, clock, log } =
    deps;
  const enrollRequests = createRateLimit({
    max: limits.enrollment.requestsPerHour,
    windowMs: limits.enrollment.windowMs,
    clock,
  });
  const ownChanges = createRateLimit({
    max: limits.ownChanges.perMember,
    windowMs: limits.ownChanges.windowMs,
    clock,
  });
  function countOwnChange(member: string): void {
    if (ownChanges.wait(member) > 0) onLimit('own_changes', member);
    ownChanges.admit(member, 'too_many_own_changes');
  }
  const news: ChangeNews = {
    announce: announceChange,
    managers: members.managers,
    hasRun: deps.kinds.hasRun,
    fileReaders: files.readers,
    fileReadersWithin: files.readersWithin,
  };
  const telling = routes.map((handlers) =>
    announceChanges(handlers, news, (err) => log.warn({ err }, 'a change was not announced')),
  );
  const routed = [...routes.flatMap((handlers) => Object.keys(handlers)), 'openapi'] as OperationId[];
  let document: ReturnType<typeof openApiDocument> | undefined;
  const app = createApp(
    {
      log,
      isOwnHost: createOwnHosts(() => config.current?.listen?.hosts ?? []),
      trustedProxies: config.current?.listen?.trustedProxies ?? [],
      docsFolder: deps.docsFolder,
      consoleFiles: consoleFolder === undefined ? undefined : await readConsoleFiles(consoleFolder),
      authority,
      metrics,
      tracing: deps.tracing,
      context: {
        credentials,
        replies: deps.replies,
        growth: deps.growth,
        isSetUp: () => config.current !== null,
        isClosing,
        isActive: deps.isActive,
        onSeen,
        connections,
        slots: {
          streams: createSlots(() => config.current?.listen?.maxStreamsPerMember ?? limits.stream.perMember),
          downloads: createSlots(
            () => config.current?.listen?.maxDownloadsPerMember ?? limits.downloadsPerMember,
          ),
        },
        turns: createTurns(),
        holdLargeBodies: holdLargeBodies(createByteBudget(limits.body.held)),
        countOwnChange,
        onLimit,
        timings,
        admission: {
          ...Object.fromEntries(Object.keys(fileRoutes).map((id) => [id, files.refuseDisabled])),
          enroll: (ip) => void enrollRequests.admit(sourceKey(ip), 'too_many_enrollments'),
        },
      },
    },
    [
      ...telling,
      {
        openapi() {
          document ??= openApiDocument(routed, version);
          return document;
        },
      },
    ],
  );
  await app.ready();
  return app;
}
