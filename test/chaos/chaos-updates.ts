/** Updates of the machines in any order, with faults between them (docs/specification/standby.md#lease). */
import { setTimeout as after } from 'node:timers/promises';
import { readStandbyStatus } from '../../broker/standby/machines.ts';
import { standbyLateMs } from '../../broker/standby/term-of.ts';
import type { SeededRandom } from '../crash/seeded-random.ts';
import { until } from '../testing/until.ts';
import type { Placed } from './chaos-place.ts';

/** Longer than the lease. */
const unansweredMs = 5000;

export interface Updates {
  /**
   * Updates one machine, which writes the stores as the active one and is killed. No older one takes over until another one is
   * updated. Some stay older.
   */
  make(): Promise<void>;
  /** Updates all that are older. */
  finish(): Promise<void>;
  olderActive(): number;
}

export function createUpdates(placed: readonly Placed[], database: string, random: SeededRandom): Updates {
  let newest = 0;
  let olderActive = 0;

  async function update(one: Placed): Promise<void> {
    await one.machine.exit('SIGTERM');
    await one.start(newest);
  }
  const rest = (...without: Placed[]): Placed[] => placed.filter((one) => !without.includes(one));

  async function statusOf() {
    const status = await readStandbyStatus(database);
    if (status === null) throw new Error('no machine has used the database');
    return status;
  }
  /** Resolves when these say each second that they stand by, so that what they say is of now. */
  const standing = (others: readonly Placed[]) =>
    until(async () => {
      const fresh = (await statusOf()).machines.filter(({ age }) => age < standbyLateMs / 2);
      return others.every(({ name, machine }) => machine.hasEnded || fresh.some((one) => one.name === name));
    }, 'the other machines say that they stand by');

  return {
    async make() {
      newest += 1;
      const first = random.pick(placed);
      const others = rest(first);
      for (const { machine } of others) await machine.exit('SIGTERM');
      await update(first);
      await first.machine.active();
      for (const one of others) await one.start();
      await first.machine.exit('SIGKILL');
      await after(unansweredMs);
      await standing(others);
      const { active, machines } = await statusOf();
      if (active?.name !== first.name) olderActive += 1;
      olderActive += machines.filter(
        ({ name, age, isComplete }) => name !== first.name && age < standbyLateMs && isComplete,
      ).length;
      olderActive += others.filter(({ machine }) => machine.hasEnded).length;
      const second = random.pick(others);
      await update(second);
      await second.machine.active();
      await first.start();
      for (const one of rest(first, second)) if (random.chance(0.5)) await update(one);
    },
    async finish() {
      for (const one of placed) if (one.version < newest) await update(one);
    },
    olderActive: () => olderActive,
  };
}
