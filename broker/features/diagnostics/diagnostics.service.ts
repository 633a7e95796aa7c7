/** The broker's health as a manager sees it (specification/diagnostics.md#diagnostics). */
import { stat } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import type { Diagnostics, StoreDiagnostics } from '#protocol/diagnostics.ts';
import { limits } from '#protocol/limits.ts';
import type { LiveStreams } from '../../http/live-streams.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store-host.ts';

export interface DiagnosticsService {
  read(): Promise<Diagnostics>;
  stop(): void;
}

interface WatchedStore {
  name: string;
  /** Null for a store in memory. */
  file: string | null;
  store: Pick<Store<unknown>, 'pending' | 'lastCommitAt' | 'damage'>;
}

export interface DiagnosticsDeps {
  version: string;
  clock: Clock;
  listeners: () => Diagnostics['listeners'];
  streams: { messages: LiveStreams; activity: LiveStreams };
  stores: readonly WatchedStore[];
  /** Null without a file. */
  fileIdOf: (file: string) => Promise<string | null>;
  operations: () => Diagnostics['operations'];
  federation: () => Diagnostics['federation'];
  telemetry: () => Promise<Diagnostics['telemetry']>;
  filesFault: () => Promise<string | null>;
  clockTrouble: () => Diagnostics['clock'] | null;
  /** The value of the configuration. */
  maxFileSize: () => number;
}

const sampleMs = 20;
const windowMs = 60_000;

const inMs = (nanoseconds: number): number => Math.max(0, Math.round(nanoseconds / 1e4) / 100 - sampleMs);

async function bytesOf(file: string): Promise<number> {
  const sizes = [file, `${file}-wal`].map((path) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function storeDiagnostics(
  { name, file, store }: WatchedStore,
  fileIdOf: DiagnosticsDeps['fileIdOf'],
): Promise<StoreDiagnostics> {
  const fileId = file === null ? null : await fileIdOf(file);
  return {
    name,
    isOnDisk: file !== null,
    ...(fileId !== null && { fileId }),
    bytes: file === null ? 0 : await bytesOf(file),
    queued: store.pending,
    lastCommitAt: store.lastCommitAt,
    ...(store.damage !== null && { damage: store.damage }),
  };
}

export function createDiagnostics(deps: DiagnosticsDeps): DiagnosticsService {
  const { version, clock, listeners, streams, stores, operations } = deps;
  const { federation, telemetry, filesFault, clockTrouble, maxFileSize } = deps;
  const startedAt = clock();
  const delay = monitorEventLoopDelay({ resolution: sampleMs });
  delay.enable();
  const fresh = setInterval(() => delay.reset(), windowMs).unref();
  return {
    async read() {
      const fault = await filesFault();
      const trouble = clockTrouble();
      const waiting = [streams.messages.waiting(), streams.activity.waiting()];
      return {
        version,
        startedAt,
        uptime: Math.max(0, clock() - startedAt),
        listeners: listeners(),
        streams: { messages: streams.messages.total, activity: streams.activity.total },
        waitingBytes: {
          total: waiting.reduce((sum, { total }) => sum + total, 0),
          most: Math.max(...waiting.map(({ most }) => most)),
        },
        eventLoopDelay: {
          p50: inMs(delay.percentile(50)),
          p99: inMs(delay.percentile(99)),
          max: inMs(delay.max),
        },
        memoryBytes: process.memoryUsage.rss(),
        stores: await Promise.all(stores.map((store) => storeDiagnostics(store, deps.fileIdOf))),
        operations: operations(),
        fanOut: { count: streams.messages.fanOut.count, ...streams.messages.fanOut.read() },
        federation: federation(),
        telemetry: await telemetry(),
        ...(fault !== null && { filesFault: fault }),
        ...(trouble && { clock: trouble }),
        limits: { ...limits, maxFileSize: maxFileSize() },
      };
    },
    stop() {
      clearInterval(fresh);
      delay.disable();
    },
  };
}
