/** The faults during a storm. Every fault is over when its promise resolves. */
import type { SeededRandom } from '../crash/seeded-random.ts';
import type { ServedBroker } from '../crash/served-broker.ts';
import type { DayReader } from '../day/day-reader.ts';
import type { SmallDisk } from './small-disk.ts';
import type { SoakClock } from './soak-clock.ts';

export const faultKinds = ['kill', 'suspend', 'disk', 'clock', 'slow', 'cut', 'backup'] as const;
export type FaultKind = (typeof faultKinds)[number];

export const isFaultKind = (text: string): text is FaultKind => faultKinds.some((kind) => kind === text);

const chances: Record<FaultKind, number> = {
  kill: 0.5,
  suspend: 0.2,
  disk: 0.15,
  clock: 0.3,
  slow: 0.1,
  cut: 0.6,
  backup: 0.05,
};

/**
 * One of the wanted kinds in turn, and others by chance. A backup needs a broker that stays, and space; its
 * tests with `kill -9` are in test/crash.
 */
export function planFaults(
  random: SeededRandom,
  wanted: readonly FaultKind[],
  round: number,
): Set<FaultKind> {
  const turn = wanted[round % wanted.length];
  const kinds = new Set(wanted.filter((kind) => kind === turn || random.chance(chances[kind])));
  if (turn === 'backup') for (const kind of ['kill', 'disk'] as const) kinds.delete(kind);
  else if (kinds.has('kill') || kinds.has('disk')) kinds.delete('backup');
  return kinds;
}

export interface FaultScene {
  random: SeededRandom;
  served: ServedBroker;
  disk: SmallDisk;
  clock: SoakClock;
  /** The streams that are open. */
  readers: readonly DayReader[];
}

const minute = 60_000;
/** Within this time after the storm's begin. */
const maxDelayMs = 300;
const maxStartMs = 600;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when everything is as before: the broker runs, the disk has space, and streams are open. */
export async function inflict(kinds: ReadonlySet<FaultKind>, scene: FaultScene): Promise<void> {
  const { random, served, disk, clock, readers } = scene;
  // All choices come first, so that they do not depend on the order in which faults end.
  const delay = () => random.below(maxDelayMs);
  const plan = {
    kill: delay(),
    starts: Array.from({ length: random.chance(0.1) ? 1 + random.below(2) : 0 }, () =>
      random.below(maxStartMs),
    ),
    suspend: delay(),
    suspendMs: 50 + random.below(400),
    disk: delay(),
    diskMs: 50 + random.below(400),
    clock: delay(),
    // Back as well: the order of messages must not depend on the clock.
    clockMs: random.chance(0.5) ? random.below(120) * minute : -random.below(10) * minute,
    cuts: readers
      .filter(() => random.chance(0.3))
      .map((reader) => ({ reader, atMs: delay(), awayMs: random.chance(0.5) ? delay() : null })),
  };

  const full = kinds.has('disk') ? fillFor(plan.disk, plan.diskMs) : Promise.resolve();
  async function fillFor(afterMs: number, forMs: number): Promise<void> {
    await wait(afterMs);
    await disk.fill();
    await wait(forMs);
    await disk.free();
  }
  const acts: Record<Exclude<FaultKind, 'disk' | 'slow' | 'backup'>, () => Promise<void>> = {
    async kill() {
      await wait(plan.kill);
      await served.kill();
      // A start needs space; that it fails without is no fault.
      await full;
      for (const startMs of plan.starts) await served.startAndKill(startMs);
      await served.start();
      await clock.set();
    },
    async suspend() {
      await wait(plan.suspend);
      await served.suspend(plan.suspendMs);
    },
    async clock() {
      await wait(plan.clock);
      await clock.jump(plan.clockMs);
    },
    async cut() {
      await Promise.all(plan.cuts.map(cutOne));
    },
  };
  async function cutOne({ reader, atMs, awayMs }: (typeof plan.cuts)[number]): Promise<void> {
    await wait(atMs);
    if (awayMs === null) return reader.cut();
    reader.disconnect();
    await wait(awayMs);
    void reader.connect();
  }
  await Promise.all([
    full,
    ...Object.entries(acts).flatMap(([kind, act]) => (kinds.has(kind as FaultKind) ? [act()] : [])),
  ]);
}
