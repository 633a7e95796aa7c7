/** Days of rounds, each on a new store, until there are enough of them. */
import { createSeededRandom } from '../crash/seeded-random.ts';
import type { FaultKind } from './faults.ts';
import { createSmallDisk } from './small-disk.ts';
import { beginSoakDay, type SoakDay } from './soak-day.ts';
import type { Tally } from './tally.ts';

export interface SoakOptions {
  seed: number;
  wanted: readonly FaultKind[];
  /** One more member attacks in every second round. */
  hasHostile?: boolean;
  /** A day has so many half hours. */
  roundsPerDay: number;
  /** Looked at after each round. */
  isEnough: (tally: Tally) => boolean;
  onRound?: (tally: Tally) => void;
  say: (sentence: string) => void;
}

/**
 * Counts in `tally`. @throws Error with the round and what was lost, repeated, shown to the wrong member, or
 * not answered.
 */
export async function runSoak(options: SoakOptions, tally: Tally): Promise<void> {
  const { seed, wanted, hasHostile = false, roundsPerDay, isEnough, onRound, say } = options;
  const random = createSeededRandom(seed);
  let hasSaid = false;
  for (let isOver = false; !isOver; ) {
    const disk = await createSmallDisk(hasHostile ? '3g' : undefined);
    if (disk.fault !== null && wanted.includes('disk') && !hasSaid) say(disk.fault);
    hasSaid = true;
    let day: SoakDay | null = null;
    try {
      day = await beginSoakDay({ seed, random, disk, wanted, hasHostile, tally });
      for (let round = 0; round < roundsPerDay && !isOver; round++) {
        await day.round(tally.rounds);
        onRound?.(tally);
        isOver = isEnough(tally);
      }
      await day.evening();
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`seed ${seed}, round ${tally.rounds + 1}: ${message}`, { cause: error });
    } finally {
      await day?.end();
      await disk.remove();
    }
  }
}
