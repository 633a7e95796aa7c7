/** The time in which this broker is the active one (docs/decisions/0068-one-active-broker.md). */
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { reasonOf } from '#platform/error-text.ts';
import type { Log } from '../runtime/log.ts';
import type { KnownMark } from '../storage/blobs/shared-mark.ts';
import type { ShippedStore } from '../storage/store-host.ts';
import { type Door, openDoor, type Receive } from './door.ts';
import type { Taken } from './follow.ts';
import { keepLease, reliedOnMs } from './lease.ts';
import { Deposed } from './page-log.ts';
import { sayOnce } from './say-once.ts';
import { knownMarkAt } from './shared-files.ts';
import { createSmallFiles } from './small-files.ts';
import type { StandbySettings } from './standby-settings.ts';
import { watchWrites } from './watch-writes.ts';

export interface Term {
  /** False while this broker must not answer, because another one may answer soon. */
  readonly isReliable: boolean;
  /** Ms since the lease was confirmed. */
  readonly leaseAge: number;
  /** The settings with which a store ships its commits. */
  ship(store: string): ShippedStore;
  /**
   * Resolves when others have the small files as they are on disk, and the configuration as the broker loaded or wrote it last,
   * in pieces; never rejects.
   */
  keepFiles(config?: readonly Uint8Array[]): Promise<void>;
  /** Of the folder that the machines share for the contents of files. */
  sharedMark: KnownMark;
  /** Lets other machines pass connections on, which `receive` serves. */
  openDoor(receive: Receive): Door;
  /** Lets another broker take over at once. Call it when the stores are closed. */
  end(): Promise<void>;
}

export interface TermOptions {
  settings: StandbySettings;
  configPath: string;
  taken: Taken;
  /** Ends this process at once: another broker may answer. */
  onLost: (reason: string) => void;
  log: Log;
}

export function beginTerm({ settings, configPath, taken, log, ...options }: TermOptions): Term {
  const { epoch, takenAt, logs } = taken;
  let isLost = false;
  function onLost(reason: string): void {
    if (isLost) return;
    isLost = true;
    options.onLost(reason);
  }
  const lease = keepLease({ ...settings, epoch, takenAt, onDeposed: () => onLost(new Deposed().message) });
  const files = createSmallFiles({ ...settings, epoch, configPath });
  /** The stores whose log the database does not take. */
  const untaken = new Map<string, string>();
  const sayUntaken = sayOnce((reason) => {
    if (reason !== null) log.error({ reason }, 'the database takes nothing, so this broker answers nobody');
    else log.info('the database takes what it gets again');
  });
  let hasEnded = false;
  const keepFiles = (config?: readonly Uint8Array[]) =>
    files.keep(config).catch((error: unknown) => {
      if (!hasEnded) onLost(reasonOf(error));
      // Nobody may be told that the change is kept.
      return new Promise<never>(() => undefined);
    });
  const writes = watchWrites(settings, log, async (reason) => {
    if (isLost) return;
    isLost = true;
    // Requests that were begun before are answered.
    await pause(reliedOnMs);
    await lease.release();
    options.onLost(reason);
  });
  const folding = beginFolding(settings, Object.keys(logs), log);
  return {
    get isReliable() {
      return !isLost && untaken.size === 0 && lease.isReliable;
    },
    get leaseAge() {
      return lease.age;
    },
    openDoor: (receive) => openDoor(settings, epoch, receive, log),
    ship: (store) => ({
      ...settings,
      epoch,
      log: logs[store] ?? null,
      onLost,
      onWrite: (isTaken) => writes.note(store, isTaken),
      onUntaken(reason) {
        if (reason === null) untaken.delete(store);
        else untaken.set(store, reason);
        sayUntaken([...untaken.values()][0] ?? null);
      },
    }),
    keepFiles,
    sharedMark: knownMarkAt(configPath, keepFiles),
    async end() {
      hasEnded = true;
      writes.end();
      files.end();
      folding.postMessage('end');
      await lease.release();
    },
  };
}

function beginFolding(settings: StandbySettings, stores: readonly string[], log: Log): Worker {
  const thread = new Worker(new URL('./fold-thread.ts', import.meta.url), {
    workerData: { ...settings, stores },
    name: 'standby-fold',
  });
  // The database takes back a fold that the end of the process breaks off.
  thread.unref();
  const say = sayOnce((reason) => {
    if (reason !== null) log.warn({ reason }, 'the log of the standbys cannot be made smaller now');
  });
  thread.on('message', say);
  thread.on('error', (err) =>
    log.error({ err }, 'the log of the standbys grows until this broker is started again'),
  );
  return thread;
}
