/**
 * The amount that members may add to the stores: a budget of bytes per member, and nothing while the disk is nearly
 * full, so that logins, removals, and pruning still work (specification/api.md#growth).
 */
import type { EventEmitter } from 'node:events';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LowDisk } from '#protocol/attention.ts';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { StoreName } from '#protocol/operation.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** `ServerResponse`, or what a test puts in its place. */
type Answer = Pick<EventEmitter, 'once'>;

export interface StoreGrowth {
  /**
   * Returns a promise only if it has to look at the disk first. Activity counts as not yet written until `answer` is over.
   * @throws BrokerError unavailable `disk_nearly_full`; rate_limited `too_many_bytes`.
   */
  admit(store: StoreName, member: string, bytes: number, answer?: Answer): undefined | Promise<undefined>;
  /** The stores on whose disks less than twice the floor is free. */
  readonly low: readonly LowDisk[];
  /** Resolves once it has looked at the disks. */
  look(): Promise<void>;
}

export interface StoreGrowthDeps {
  /** Paths; null for a store in memory. */
  files: Record<StoreName, string | null>;
  clock: Clock;
  log: Pick<Log, 'warn' | 'info'>;
}

interface Spent {
  bytes: number;
  at: number;
}

const MiB = 1024 * 1024;
/** The amount that one member may add: so much at once, and then so much in a second. */
export const growthLimits: Record<StoreName, { burstBytes: number; bytesPerSecond: number }> = {
  main: { burstBytes: 64 * MiB, bytesPerSecond: MiB / 2 },
  activity: { burstBytes: 1024 * MiB, bytesPerSecond: 8 * MiB },
};
const lookAfterMs = 1000;
/** A byte is written to the log, to the store, and to the index. */
const writtenPerByte = 3;
/** Of the bytes above the floor. */
const lookAfterShare = 0.1;

export function createStoreGrowth({ files, clock, log }: StoreGrowthDeps): StoreGrowth {
  const stores = (Object.keys(files) as StoreName[]).filter((store) => files[store] !== null);
  const diskByStore = new Map<StoreName, LowDisk & { logBytes: number }>();
  const spentByMember: Record<StoreName, Map<string, Spent>> = { main: new Map(), activity: new Map() };
  let lookedAt = 0;
  let bytesSince = 0;
  /** Of uploads of activity, which are large, that are admitted and not answered: no look at the disk sees them. */
  let unwritten = 0;
  let looking: Promise<void> | null = null;
  let wasLow = false;

  async function lookAt(store: StoreName): Promise<void> {
    const file = files[store] ?? '';
    const { bavail, blocks, bsize } = await statfs(dirname(file));
    // A checkpoint adds to the file of the store up to what the write-ahead log holds.
    const logBytes = await stat(`${file}-wal`).then(
      ({ size }) => size,
      () => 0,
    );
    const { bytes, share } = limits.freeDisk;
    // Activity and files stop at twice as much, so that messages can still be written then.
    const floorBytes = Math.min(bytes, share * blocks * bsize) * (store === 'main' ? 0.5 : 1);
    diskByStore.set(store, { store, freeBytes: bavail * bsize, floorBytes, logBytes });
  }

  async function lookNow(): Promise<void> {
    [lookedAt, bytesSince] = [clock(), 0];
    // A disk that cannot be asked is not known to be full.
    await Promise.allSettled(stores.map(lookAt));
    const low = lowDisks();
    if (low.length > 0 && !wasLow) log.warn({ disks: low }, 'the disk of a store is nearly full');
    if (low.length === 0 && wasLow) log.info('the disks of the stores have space again');
    wasLow = low.length > 0;
  }

  const lowDisks = (): LowDisk[] =>
    [...diskByStore.values()]
      .filter(({ freeBytes, floorBytes, logBytes }) => freeBytes - logBytes < 2 * floorBytes)
      .map(({ store, freeBytes, floorBytes }) => ({ store, freeBytes, floorBytes }));

  function look(): Promise<void> {
    looking ??= lookNow().finally(() => {
      looking = null;
    });
    return looking;
  }

  /** How much may be added until the next look. */
  function spaceOf(store: StoreName): number {
    const disk = diskByStore.get(store);
    return disk === undefined
      ? Number.POSITIVE_INFINITY
      : disk.freeBytes - disk.logBytes - disk.floorBytes - unwritten;
  }

  function lookIfStale(hasGrown: boolean): void {
    if (stores.length > 0 && (hasGrown || clock() - lookedAt > lookAfterMs)) void look();
  }

  /** Takes bytes from the member's budget. Spent bytes return over time. */
  function spend(store: StoreName, member: string, bytes: number): void {
    const { burstBytes, bytesPerSecond } = growthLimits[store];
    const spent = spentByMember[store];
    const before = spent.get(member);
    const now = clock();
    const returned = before === undefined ? 0 : (Math.max(0, now - before.at) / 1000) * bytesPerSecond;
    const left = Math.max(0, (before?.bytes ?? 0) - returned);
    const excess = left + bytes - burstBytes;
    if (excess > 0 && left > 0)
      refuse('too_many_bytes', {}, { retryAfter: Math.ceil(excess / bytesPerSecond) });
    if (before === undefined) spent.set(member, { bytes: left + bytes, at: now });
    else [before.bytes, before.at] = [left + bytes, now];
  }

  function take(store: StoreName, member: string, bytes: number, answer: Answer | undefined): undefined {
    spend(store, member, bytes);
    const written = bytes * writtenPerByte;
    if (store !== 'activity' || answer === undefined) {
      bytesSince += written;
      return;
    }
    unwritten += written;
    answer.once('close', () => {
      unwritten -= written;
      bytesSince += written;
    });
  }

  return {
    admit(store, member, bytes, answer) {
      const space = spaceOf(store);
      const written = bytes * writtenPerByte;
      lookIfStale(bytesSince > space * lookAfterShare);
      if (bytesSince + written <= space) return take(store, member, bytes, answer);
      // Somebody may have made space since the last look. Others that waited for it have been admitted in the meantime.
      return look().then(() =>
        bytesSince + written <= spaceOf(store)
          ? take(store, member, bytes, answer)
          : refuse('disk_nearly_full'),
      );
    },
    get low() {
      lookIfStale(false);
      return lowDisks();
    },
    look,
  };
}
